// SPDX-License-Identifier: Apache-2.0
// Tests of the settings that may change the result of a training, and of the size of the change.
#include <fcntl.h>

#include <algorithm>
#include <cmath>

#include "base/system/unique_fd.h"
#include "comm/ranks_as_threads.h"
#include "support/catch.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

class NoControl final : public ControlSource {
  public:
    bool hasCommand() const override { return false; }
    std::vector<ControlCommand> take(std::size_t) override { return {}; }
    bool waitForCommand(std::chrono::microseconds) override { return hasCommand(); }
    bool waitForStop(std::chrono::microseconds) override { return false; }
};

// Returns the weights of rank 0 after a training whose telemetry is encoded and written as in a worker.
std::vector<float> weightsWithTelemetry(const RunConfig& config) {
    const DataSplit data = loadDataset(config.dataset).value();
    std::vector<float> weights;
    onLocalRanks(static_cast<int>(config.parallel.worldSize), [&](Communicator& communicator) {
        const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        TelemetrySink sink({.fd = nowhere.get(), .rank = communicator.rank()});
        SinkObserver observer(sink);
        NoControl control;
        const auto backend = makeCpuBackend(1);
        Trainer trainer({config, data, communicator, *backend, observer, control, {}});
        trainer.run();
        if (communicator.rank() != 0) return;
        for (const Parameter* parameter : trainer.model().parameters()) {
            const auto values = parameter->value.floats();
            weights.insert(weights.end(), values.begin(), values.end());
        }
    });
    return weights;
}

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

}  // namespace

TEST_CASE("telemetry does not change a bit of the weights, for any loader") {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 2;
    const std::vector<float> silent = trainAsThreads(config)[0].parameters;
    for (const std::int64_t workers : {0, 1, 4}) {
        for (const std::int64_t logEvery : {1, 1000000}) {
            config.loader.numWorkers = workers;
            config.training.logEvery = logEvery;
            CHECK(weightsWithTelemetry(config) == silent);
        }
    }
}

TEST_CASE("rank 0 measures the gradient's norm of logged steps, in long runs at most a thousand times a second") {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 1;
    config.training.logEvery = 2;
    const auto measured = [&config](std::int64_t stepUs) {
        std::vector<std::int64_t> steps;
        RunOptions options;
        options.stepUs = stepUs;
        options.stopAfter = [](std::int64_t step) { return step == 22; };
        const auto ranks = trainAsThreads(config, options);
        for (const StepRecord& record : ranks[0].steps)
            if (!std::isnan(record.gradientNorm)) steps.push_back(record.step);
        for (const StepRecord& record : ranks[1].steps) CHECK(std::isnan(record.gradientNorm));
        return steps;
    };
    // 1,437 samples on 2 ranks make 23 steps of 32; the test's clock counts logged steps.
    const std::vector<std::int64_t> every{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22};
    CHECK(measured(1000) == every);
    CHECK(measured(400) == every);  // in a short run, the norm is measured in each logged step

    config.training.epochs = 435;  // 10,005 planned steps; the test stops in the first epoch
    CHECK(measured(1000) == every);
    CHECK(measured(400) == std::vector<std::int64_t>{2, 8, 14, 20});

    config.optimizer.clipGradNorm = 1;  // clipping computes the norm in every step, so each logged step has it
    CHECK(measured(0).size() == 11);
}

// Both train on the same 128 samples per step, but add the gradients in another order. With n = 128 terms, a float32
// sum has an error of at most n * 2^-24 = 7.6e-6 of the mean size of the terms. This size is below 1 here: inputs are 0
// to 1, the gradient of the loss by an output is at most 1, and weights are small. SGD with momentum moves a weight by
// at most lr / (1 - momentum) = 1 times the error in each of the 22 steps. In the worst case, the total is 22 * 7.6e-6
// = 1.7e-4.
TEST_CASE("one rank with batch 128 and four with batch 32 differ only by the order of float32 sums") {
    RunConfig config;
    config.training.epochs = 2;
    config.sampler.dropLast = config.loader.dropLast = true;  // equal batches, no padding
    RunConfig one = config;
    one.parallel.worldSize = 1;
    one.loader.batchSize = 128;
    const auto four = trainAsThreads(config);
    const auto alone = trainAsThreads(one);
    REQUIRE(alone[0].steps.size() == 22);
    const double difference = largestDifference(four[0].parameters, alone[0].parameters);
    CAPTURE(difference);
    CHECK(difference < 1.7e-4);
    const auto losses = globalLosses(four);
    double lossDifference = 0;
    for (std::size_t step = 0; step < losses.size(); ++step)
        lossDifference = std::max(lossDifference, std::abs(losses[step] / alone[0].steps[step].loss - 1));
    CAPTURE(lossDifference);
    CHECK(lossDifference < 1e-5);
}
