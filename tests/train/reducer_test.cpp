// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/gradient_reducer.h"

#include <cmath>
#include <mutex>

#include "comm/ranks_as_threads.h"
#include "support/catch.h"

using namespace ringside;
using ringside::test::onLocalRanks;

namespace {

struct Reduced {
    std::vector<float> first;
    std::vector<float> second;
    bool signal = false;
    double norm = 0;
};

// Reduces two parameters; the second one is ready first. Rank r gives the first one the gradient r + 1 everywhere, the
// second one 10 (r + 1).
Reduced reduceOnce(Communicator& communicator, BucketLimits limits, bool signal, int rounds) {
    const auto backend = makeCpuBackend(1);
    Parameter first{"first", {3}, {}, {}};
    Parameter second{"second", {2, 20}, {}, {}};
    GradientReducer reducer({&first, &second}, communicator, *backend, limits);
    Reduced result;
    for (int round = 0; round < rounds; ++round) {
        reducer.begin(communicator.rank() != 0 || signal);
        reducer.beginPass(false);
        const auto share = static_cast<float>(communicator.rank() + 1);
        backend->fill(second.gradient, 10 * share);
        reducer.ready(1);
        backend->fill(first.gradient, share);
        reducer.ready(0);
        reducer.finishPass();
        result.signal = reducer.end();
    }
    result.first.assign(first.gradient.floats().begin(), first.gradient.floats().end());
    result.second.assign(second.gradient.floats().begin(), second.gradient.floats().end());
    result.norm = reducer.gradientNorm();
    return result;
}

// Accumulates micro-batches with the gradients 1, 2 and 4, times rank + 1. The first two are kept locally and reduced
// together with the third.
float accumulatedGradient(Communicator& communicator, BucketLimits limits) {
    const auto backend = makeCpuBackend(1);
    Parameter first{"first", {3}, {}, {}};
    Parameter second{"second", {2, 20}, {}, {}};
    GradientReducer reducer({&first, &second}, communicator, *backend, limits, {.keptLevels = 1});
    const auto share = static_cast<float>(communicator.rank() + 1);
    for (int step = 0; step < 2; ++step) {
        for (const float value : {1.0F, 2.0F}) {
            backend->fill(second.gradient, value * share);
            backend->fill(first.gradient, value * share);
            reducer.keepGradients(value == 1);
        }
        reducer.begin(0);
        reducer.beginPass(true);
        backend->fill(second.gradient, 4 * share);
        reducer.ready(1);
        backend->fill(first.gradient, 4 * share);
        reducer.ready(0);
        reducer.finishPass();
        reducer.end();
    }
    CHECK(second.gradient.floats()[39] == first.gradient.floats()[0]);
    return first.gradient.floats()[0];
}

}  // namespace

TEST_CASE("accumulated gradients are added locally and averaged with the last ones in every step") {
    for (const BucketLimits limits : {BucketLimits{}, BucketLimits{4, 4}}) {
        for (int size : {1, 2, 4}) {
            std::vector<float> results(static_cast<std::size_t>(size));
            onLocalRanks(size, [&](Communicator& communicator) {
                results[static_cast<std::size_t>(communicator.rank())] = accumulatedGradient(communicator, limits);
            });
            CHECK(results == std::vector<float>(results.size(), 7 * static_cast<float>(size + 1) / 2));
        }
    }
}

TEST_CASE("gradients are averaged over the ranks, in one bucket or in several") {
    for (const BucketLimits limits : {BucketLimits{}, BucketLimits{4, 4}}) {
        for (int size : {1, 2, 4}) {
            std::vector<Reduced> results(static_cast<std::size_t>(size));
            onLocalRanks(size, [&](Communicator& communicator) {
                results[static_cast<std::size_t>(communicator.rank())] = reduceOnce(communicator, limits, false, 3);
            });
            const float mean = static_cast<float>(size + 1) / 2;  // of 1 .. size; exact for powers of two
            for (const Reduced& result : results) {
                CHECK(result.first == std::vector<float>(3, mean));
                CHECK(result.second == std::vector<float>(40, 10 * mean));
                CHECK(result.norm == Approx(std::sqrt(3 + 40 * 100.0) * static_cast<double>(mean)));
            }
        }
    }
}

TEST_CASE("the signal of rank 0 reaches every rank with the gradients") {
    for (int size : {1, 3}) {
        for (const bool signal : {true, false}) {
            std::vector<Reduced> results(static_cast<std::size_t>(size));
            onLocalRanks(size, [&](Communicator& communicator) {
                results[static_cast<std::size_t>(communicator.rank())] = reduceOnce(communicator, {}, signal, 1);
            });
            for (const Reduced& result : results) CHECK(result.signal == signal);
        }
    }
}
