// SPDX-License-Identifier: Apache-2.0
// Tests that the norm used for gradient clipping has the same bits in each layout of ranks.
#include "parallel/reduce/row_squares.h"

#include <cmath>
#include <mutex>
#include <random>

#include "backend/backend.h"
#include "backend/update_state.h"
#include "comm/ranks_as_threads.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Random gradients of a model, with many different exponents.
struct Drawn {
    std::vector<Parameter> parameters;
    std::vector<std::vector<float>> values;

    explicit Drawn(unsigned seed) {
        std::mt19937 random(seed);
        const auto upTo = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
        std::normal_distribution<float> normal(0, 1e-3F);
        for (std::int64_t i = 0, count = upTo(7); i < count; ++i) {
            Shape shape{upTo(70)};
            if (const auto kind = random() % 3; kind == 1)
                shape = {upTo(40), upTo(130)};
            else if (kind == 2)
                shape = {upTo(9), upTo(5), 3, 3};
            parameters.push_back({"tensor" + std::to_string(i), shape, {}, {}});
            std::vector<float>& own = values.emplace_back(static_cast<std::size_t>(shape.count()));
            for (float& value : own) value = std::ldexp(normal(random), static_cast<int>(random() % 12));
        }
    }

    std::vector<Parameter*> pointers() {
        std::vector<Parameter*> all;
        for (Parameter& one : parameters) all.push_back(&one);
        return all;
    }
    Tensor rows(std::size_t parameter, std::int64_t first, std::int64_t count) {
        const Shape& shape = parameters[parameter].shape;
        return {values[parameter].data() + first * (shape.count() / shape[0]), shape.withRows(count), {}, {}};
    }
    double norm() const {
        long double sum = 0;
        for (const auto& own : values)
            for (const float value : own) sum += static_cast<long double>(value) * static_cast<long double>(value);
        return static_cast<double>(std::sqrt(sum));
    }
};

// Returns the rows of a rank as torch.chunk splits them: ceil(rows / ranks) for the first ranks.
std::pair<std::int64_t, std::int64_t> chunk(std::int64_t rows, Communicator& ranks) {
    const std::int64_t most = (rows + ranks.size() - 1) / ranks.size();
    const std::int64_t first = std::min(rows, ranks.rank() * most);
    return {first, std::min(most, rows - first)};
}

// Norms of gradients that are distributed: each rank holds some of the rows.
struct Spread {
    explicit Spread(Drawn& drawn) : m_squares(drawn.pointers(), *m_backend, m_memory) {}

    void add(const Drawn& drawn, std::size_t parameter, const Tensor& rows, std::int64_t first) {
        m_kernels->squaresOfRows(rows, m_squares.squaresOfRows(drawn.parameters[parameter].name, first, rows.shape[0]));
    }
    double total(Communicator& ranks) {
        const Tensor squares = m_squares.squaredNorms(ranks, *m_kernels);
        double sum = 0;
        for (const double square : std::span(static_cast<const double*>(squares.data), doublesIn(squares)))
            sum += square;
        return sum;
    }

  private:
    std::unique_ptr<Backend> m_backend = makeCpuBackend(1);
    std::unique_ptr<ReductionKernels> m_kernels = m_backend->makeReductionKernels();
    StepMemory m_memory{*m_backend, false};
    RowSquares m_squares;
};

double spreadByRows(Drawn& drawn, Communicator& ranks) {
    Spread squares(drawn);
    for (std::size_t i = 0; i < drawn.parameters.size(); ++i) {
        const auto [first, count] = chunk(drawn.parameters[i].shape[0], ranks);
        if (count > 0) squares.add(drawn, i, drawn.rows(i, first, count), first);
    }
    return squares.total(ranks);
}

// Distributes complete tensors over the ranks, as a pipeline does, and returns the norm.
double spreadByTensors(Drawn& drawn, Communicator& ranks) {
    Spread squares(drawn);
    for (std::size_t i = 0; i < drawn.parameters.size(); ++i) {
        const std::int64_t rows = drawn.parameters[i].shape[0];
        if (static_cast<int>(i) % ranks.size() == ranks.rank()) squares.add(drawn, i, drawn.rows(i, 0, rows), 0);
    }
    return squares.total(ranks);
}

}  // namespace

TEST_CASE("the gradient norm is bit-identical for any distribution of rows over ranks") {
    const auto backend = makeCpuBackend(1);
    for (unsigned seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        Drawn drawn(seed);
        std::vector<Tensor> gradients;
        double whole = 0;
        for (std::size_t i = 0; i < drawn.parameters.size(); ++i) {
            gradients.push_back(drawn.rows(i, 0, drawn.parameters[i].shape[0]));
            whole += squareOfNorm(squaredNormByRows(*backend, gradients.back()));
        }
        CHECK(std::sqrt(whole) == Approx(drawn.norm()).epsilon(1e-6));

        UpdateRules rules;
        rules.clipNorm = 1;
        const Tensor state = backend->allocate({sizeof(UpdateState)}, DType::kUInt8);
        UpdateState update;
        backend->upload(&update, state);
        backend->decideUpdate(gradients, rules, state);
        backend->download(state, &update);
        CHECK(update.norm == static_cast<float>(std::sqrt(whole)));

        const int ranks = 1 + static_cast<int>(seed % 6);
        std::mutex mutex;
        std::vector<double> spread;
        onLocalRanks(ranks, [&](Communicator& communicator) {
            const double byRows = spreadByRows(drawn, communicator);
            const double byTensors = spreadByTensors(drawn, communicator);
            const std::lock_guard lock(mutex);
            spread.push_back(byRows);
            spread.push_back(byTensors);
        });
        for (const double one : spread) CHECK(one == whole);
    }
}

TEST_CASE("a non-finite gradient makes the norm non-finite on each rank") {
    const float bad = GENERATE(NAN, HUGE_VALF);
    Drawn drawn(3);
    drawn.values.back().back() = bad;
    std::mutex mutex;
    std::vector<double> spread;
    onLocalRanks(3, [&](Communicator& communicator) {
        const double square = spreadByRows(drawn, communicator);
        const std::lock_guard lock(mutex);
        spread.push_back(square);
    });
    for (const double one : spread) CHECK(std::isnan(one) == std::isnan(bad));
    for (const double one : spread) CHECK_FALSE(std::isfinite(one));
}
