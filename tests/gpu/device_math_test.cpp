// SPDX-License-Identifier: Apache-2.0
// Runs the GPU's arithmetic on the CPU and compares it with the CPU backend, which other tests compare with PyTorch.
#include "backend/cuda/kernels/device_math.h"

#include <limits>
#include <vector>

#include "backend/cuda/kernels/list_kernels.h"
#include "backend/cuda/kernels/optimizer_scalars.h"
#include "backend/cuda/kernels/value_kernels.h"
#include "comm/reduce_kernels.h"
#include "cpu_tensors.h"
#include "support/catch.h"
#include "support/tensors.h"

using namespace ringside;
using testing::valuesOf;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::int64_t largestByKernel(const std::vector<float>& row) {
    std::int64_t index = -1;
    runRows(1, cuda::ArgmaxRow{row.data(), row.size(), &index});
    return index;
}

// Returns values whose squares add up without rounding in any order.
std::vector<float> eighths(std::size_t count, unsigned seed) {
    std::vector<float> values;
    for (float value : numbers(count, seed + 20)) values.push_back(std::round(value * 8) / 8);
    return values;
}

// Does the same as CudaBackend: partial sums of each gradient's squares, the norms of the gradients, then the decision.
void decideByKernels(UpdateState& state, const UpdateRules& rules, const std::vector<std::vector<float>>& gradients) {
    constexpr std::size_t kParts = 16;
    std::vector<double> parts(gradients.size() * kParts);
    for (std::size_t g = 0; g < gradients.size(); ++g)
        for (std::size_t i = 0; i < gradients[g].size(); ++i)
            parts[g * kParts + i % kParts] +=
                static_cast<double>(gradients[g][i]) * static_cast<double>(gradients[g][i]);
    std::vector<double> squares(gradients.size());
    runRows(gradients.size(), cuda::NormRow{parts.data(), kParts, squares.data()});
    runValues(1, cuda::DecidedValue{squares.data(), gradients.size(), rules, &state});
}

}  // namespace

TEST_CASE("the GPU's ReLU and its gradient equal the CPU's, NaN included") {
    Cpu cpu;
    std::vector<float> x = numbers(1000, 1);
    x[3] = 0;
    x[4] = -0.0F;
    x[5] = kNan;
    const std::vector<float> gradient = numbers(1000, 2);
    const Tensor y = cpu.tensor(x, {1000});
    cpu.backend->reluForward(y, y);
    const Tensor gradX = cpu.tensor(gradient, {1000});
    cpu.backend->reluBackward(y, gradX, gradX);

    std::vector<float> ourGradient = gradient;
    runValues(x.size(), cuda::ReluValue{x.data(), x.data()});
    runValues(x.size(), cuda::ReluGradientValue{x.data(), ourGradient.data(), ourGradient.data()});
    CHECK(bits(x) == bits(valuesOf(y)));
    CHECK(bits(ourGradient) == bits(valuesOf(gradX)));
}

TEST_CASE("filling, scaling, adding a bias to each row and counting on the GPU equal the CPU's") {
    Cpu cpu;
    const Tensor cpuValues = cpu.tensor(numbers(30, 1), {30});
    std::vector<float> ours(30);
    cpu.backend->fill(cpuValues, 3);
    cpu.backend->scale(cpuValues, 0.1F);
    runValues(30, cuda::FillValue{ours.data(), 3});
    runValues(30, cuda::ScaleValue{ours.data(), 0.1F});
    CHECK(bits(ours) == bits(valuesOf(cpuValues)));

    const std::vector<float> bias{1, 2, 4};
    std::vector<float> rows(6, 0.5F);
    runValues(6, cuda::BiasedValue{rows.data(), bias.data(), 3});
    CHECK(rows == std::vector<float>{1.5F, 2.5F, 4.5F, 1.5F, 2.5F, 4.5F});
    std::int64_t counter = 41;
    runValues(1, cuda::CountedValue{&counter});
    CHECK(counter == 42);
}

TEST_CASE("the GPU's SGD equals the CPU's bit for bit, in every combination of options") {
    const double momentum = GENERATE(0.0, 0.9);
    const double decay = GENERATE(0.0, 5e-4);
    const double dampening = GENERATE(0.0, 0.1);
    const bool nesterov = GENERATE(false, true) && momentum > 0 && dampening == 0;
    Cpu cpu;
    std::vector<float> parameter = numbers(500, 3);
    std::vector<float> velocity(500);
    const Tensor cpuParameter = cpu.tensor(parameter, {500});
    const Tensor cpuMomentum = momentum > 0 ? cpu.tensor(velocity, {500}) : Tensor{};
    const SgdRule rule{momentum, dampening, decay, nesterov};
    UpdateState state;
    state.lr = 0.1;
    for (int step = 0; step < 5; ++step) {
        decideUpdate(state, {}, 0);
        const std::vector<float> gradient = numbers(500, 10U + static_cast<std::uint32_t>(step));
        cpu.backend->sgd(cpuParameter, cpu.tensor(gradient, {500}), cpuMomentum, rule, asTensor(state));
        const cuda::SgdScalars scalars = cuda::scalarsOf(rule);
        for (std::size_t i = 0; i < parameter.size(); ++i)
            parameter[i] = cuda::sgdOf(parameter[i], gradient[i], &velocity[i], scalars, state);
        REQUIRE(bits(parameter) == bits(valuesOf(cpuParameter)));
    }
}

TEST_CASE("the GPU's Adam and AdamW equal the CPU's bit for bit, with and without weight decay") {
    const bool decoupled = GENERATE(false, true);
    const double decay = GENERATE(0.0, 0.01);
    Cpu cpu;
    std::vector<float> parameter = numbers(500, 3);
    std::vector<float> first(500);
    std::vector<float> second(500);
    const Tensor cpuParameter = cpu.tensor(parameter, {500});
    const Tensor cpuFirst = cpu.tensor(first, {500});
    const Tensor cpuSecond = cpu.tensor(second, {500});
    const AdamRule rule{0.9, 0.999, 1e-8, decay, decoupled};
    const UpdateRules rules{.beta1 = 0.9, .beta2 = 0.999, .decoupledDecay = decoupled ? decay : 0};
    UpdateState state;
    state.lr = 1e-3;
    for (int step = 1; step <= 5; ++step) {
        decideUpdate(state, rules, 0);
        const std::vector<float> gradient = numbers(500, 10U + static_cast<std::uint32_t>(step));
        cpu.backend->adam(cpuParameter, cpu.tensor(gradient, {500}), cpuFirst, cpuSecond, rule, asTensor(state));
        runValues(500, cuda::AdamValue{parameter.data(), gradient.data(), first.data(), second.data(),
                                       cuda::scalarsOf(rule), &state});
        REQUIRE(bits(parameter) == bits(valuesOf(cpuParameter)));
        REQUIRE(bits(second) == bits(valuesOf(cpuSecond)));
    }
}

TEST_CASE("the GPU decides updates as the CPU does: clipped, unscaled, or left out at an infinite gradient") {
    const UpdateRules rules{
        .clipNorm = GENERATE(0.0, 2.0), .scalesLoss = GENERATE(false, true), .beta1 = 0.9, .beta2 = 0.999};
    CAPTURE(rules.clipNorm, rules.scalesLoss);
    Cpu cpu;
    UpdateState onCpu;
    onCpu.lr = 0.125;
    if (rules.scalesLoss) onCpu.lossScale = 4;
    UpdateState onGpu = onCpu;
    std::vector<float> weight = eighths(300, 0);
    std::vector<float> bias = eighths(7, 0);
    const Tensor cpuWeight = cpu.tensor(weight, {300});
    const Tensor cpuBias = cpu.tensor(bias, {7});
    std::vector<float> velocity(300), first(7), second(7);
    const Tensor cpuVelocity = cpu.tensor(velocity, {300});
    const Tensor cpuFirst = cpu.tensor(first, {7});
    const Tensor cpuSecond = cpu.tensor(second, {7});
    const SgdRule sgd{.momentum = 0.5};
    for (unsigned step = 0; step < 5; ++step) {
        std::vector<float> gradWeight = eighths(300, step);
        std::vector<float> gradBias = eighths(7, step);
        if (step == 2 && rules.scalesLoss) gradBias[6] = INFINITY;
        const Tensor gradients[] = {cpu.tensor(gradWeight, {300}), cpu.tensor(gradBias, {7})};
        decideByKernels(onGpu, rules, {gradWeight, gradBias});
        cpu.backend->decideUpdate(gradients, rules, asTensor(onCpu));
        CHECK(bits({&onGpu.norm, 1}) == bits({&onCpu.norm, 1}));
        CHECK(bits({&onGpu.factor, 1}) == bits({&onCpu.factor, 1}));

        runValues(300, cuda::SgdValue{weight.data(), gradWeight.data(), velocity.data(), cuda::scalarsOf(sgd), &onGpu});
        runValues(7, cuda::AdamValue{bias.data(), gradBias.data(), first.data(), second.data(),
                                     cuda::scalarsOf(AdamRule{}), &onGpu});
        cpu.backend->sgd(cpuWeight, gradients[0], cpuVelocity, sgd, asTensor(onCpu));
        cpu.backend->adam(cpuBias, gradients[1], cpuFirst, cpuSecond, {}, asTensor(onCpu));
        CHECK(bits(weight) == bits(valuesOf(cpuWeight)));
        CHECK(bits(bias) == bits(valuesOf(cpuBias)));
    }
    CHECK(onGpu.updates == (rules.scalesLoss ? 4 : 5));
    CHECK(onGpu.lossScale == (rules.scalesLoss ? 2 : 1));
}

TEST_CASE("one launch for a list of parameters changes each of their values once, as a launch for each would") {
    constexpr unsigned kThreadsPerBlock = 8;
    const std::vector<std::size_t> counts{1, 7, 8, 9, 100, 3};
    UpdateState state;
    state.negativeStep = -0.5F;
    state.updates = 2;
    const cuda::SgdScalars scalars{.momentum = 0.5F};
    std::vector<std::vector<float>> parameters, velocities, expected, expectedVelocities;
    cuda::ValueList<cuda::SgdValue> list;
    std::vector<std::vector<float>> gradients;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        parameters.push_back(numbers(counts[i], static_cast<unsigned>(i)));
        gradients.push_back(numbers(counts[i], static_cast<unsigned>(i) + 50));
        velocities.push_back(numbers(counts[i], static_cast<unsigned>(i) + 90));
    }
    expected = parameters;
    expectedVelocities = velocities;
    const auto valueOf = [&](auto& weights, auto& momenta, std::size_t i) {
        return cuda::SgdValue{weights[i].data(), gradients[i].data(), momenta[i].data(), scalars, &state};
    };
    // Fewer blocks than the 100 values of an entry need: each thread then does several values.
    for (std::size_t i = 0; i < counts.size(); ++i)
        list.add(valueOf(parameters, velocities, i), counts[i],
                 counts[i] > 50 ? 3 : 1 + static_cast<unsigned>(counts[i]) / kThreadsPerBlock);
    REQUIRE(list.blocks() == 1 + 1 + 2 + 2 + 3 + 1);
    for (unsigned block = 0; block < list.blocks(); ++block)
        for (unsigned thread = 0; thread < kThreadsPerBlock; ++thread) list.run(block, thread, kThreadsPerBlock);
    for (std::size_t i = 0; i < counts.size(); ++i) runValues(counts[i], valueOf(expected, expectedVelocities, i));
    CHECK(parameters == expected);
    CHECK(velocities == expectedVelocities);
}

TEST_CASE("a list of kernels is full at its capacity and fits into a kernel's arguments") {
    cuda::ValueList<cuda::AdamValue> list;
    CHECK(list.blocks() == 0);
    for (unsigned i = 0; i < cuda::kListCapacity; ++i) {
        CHECK_FALSE(list.isFull());
        list.add({}, 1, 1);
    }
    CHECK(list.isFull());
    CHECK(sizeof list <= cuda::kMaxArgumentBytes);
}

TEST_CASE("the GPU scales the loss' gradient as the CPU does") {
    Cpu cpu;
    UpdateState state;
    state.lossScale = 32768;
    std::vector<float> gradient = numbers(100, 9);
    const Tensor cpuGradient = cpu.tensor(gradient, {100});
    cpu.backend->scaleLoss(cpuGradient, 1.0F / 3, asTensor(state));
    runValues(100, cuda::LossScaledValue{gradient.data(), 1.0F / 3, &state});
    CHECK(bits(gradient) == bits(valuesOf(cpuGradient)));
}

TEST_CASE("the GPU's cross-entropy and gradient equal the CPU's to rounding") {
    const std::size_t columns = GENERATE(2U, 10U, 33U, 1000U);
    constexpr std::size_t kRows = 4;
    Cpu cpu;
    const std::vector<float> logits = numbers(kRows * columns, 4);
    Tensor labels = cpu.backend->allocate({kRows}, DType::kInt64);
    for (std::size_t r = 0; r < kRows; ++r) labels.integers()[r] = static_cast<std::int64_t>((r * 7) % columns);
    const Shape shape{kRows, static_cast<std::int64_t>(columns)};
    const Tensor loss = cpu.tensor({}, {kRows});
    const Tensor correct = cpu.tensor({}, {kRows});
    const Tensor gradient = cpu.tensor({}, shape);
    cpu.backend->softmaxCrossEntropy(cpu.tensor(logits, shape), labels, loss, correct, gradient);

    std::vector<float> ourLoss(kRows), ourCorrect(kRows), ourGradient(logits.size());
    runRows(kRows, cuda::CrossEntropyRow{logits.data(), labels.integers().data(), columns, ourLoss.data(),
                                         ourCorrect.data(), ourGradient.data(), 1.0F / kRows});
    CHECK(bits(ourCorrect) == bits(valuesOf(correct)));
    for (std::size_t r = 0; r < kRows; ++r) CHECK(ourLoss[r] == Approx(loss.floats()[r]).epsilon(2e-6));
    for (std::size_t i = 0; i < ourGradient.size(); ++i)
        CHECK(ourGradient[i] == Approx(gradient.floats()[i]).epsilon(4e-6).margin(1e-9));
}

TEST_CASE("cross-entropy of two equal logits is ln 2, and its gradient plus and minus a half") {
    CHECK(cuda::crossEntropyOf(3.0F, 3.0F, 2.0F) == Approx(0.6931472));
    CHECK(cuda::softmaxGradientOf(1.0F, 2.0F, false, 1.0F) == 0.5F);
    CHECK(cuda::softmaxGradientOf(1.0F, 2.0F, true, 1.0F) == -0.5F);
}

TEST_CASE("the largest logit is the first among equals, in every lane") {
    std::vector<float> row(100, -1.0F);
    row[70] = 2;
    row[37] = 2;
    row[99] = 2;
    CHECK(largestByKernel(row) == 37);
    CHECK(largestByKernel({5.0F, 5.0F}) == 0);
    CHECK(largestByKernel({5.0F}) == 0);
}

TEST_CASE("the GPU's squared error equals the CPU's") {
    const std::size_t columns = GENERATE(4U, 70U);
    const Shape shape{3, static_cast<std::int64_t>(columns)};
    Cpu cpu;
    const std::vector<float> prediction = numbers(3 * columns, 6);
    const std::vector<float> target = numbers(3 * columns, 7);
    const Tensor loss = cpu.tensor({}, {3});
    const Tensor gradient = cpu.tensor({}, shape);
    cpu.backend->meanSquaredError(cpu.tensor(prediction, shape), cpu.tensor(target, shape), loss, gradient);
    std::vector<float> ourLoss(3), ourGradient(prediction.size());
    const float perValue = 2.0F / static_cast<float>(prediction.size());
    runRows(3, cuda::SquaredErrorRow{prediction.data(), target.data(), columns, ourLoss.data(), ourGradient.data(),
                                     perValue});
    CHECK(bits(ourLoss) == bits(valuesOf(loss)));
    CHECK(bits(ourGradient) == bits(valuesOf(gradient)));
}

TEST_CASE("the GPU adds the blocks of ranks along the tree in which the CPU adds them") {
    constexpr std::size_t kCount = 100;
    const std::size_t ranks = GENERATE(2U, 4U, 8U, 16U);
    std::vector<float> blocks = numbers(ranks * kCount, 7);
    std::vector<const std::byte*> sources;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        sources.push_back(reinterpret_cast<const std::byte*>(blocks.data() + rank * kCount));
    std::vector<float> expected(kCount);
    reduceSources(CommType::kFloat32, ReduceOp::kTreeSum, reinterpret_cast<std::byte*>(expected.data()), sources,
                  kCount);
    std::vector<float> sums(kCount);
    runValues(kCount, cuda::TreeSumValue{blocks.data(), kCount, ranks, sums.data()});
    CHECK(bits(sums) == bits(expected));
}

// 1 + 2^-24 + 2^-24 + 2^-24 is 1 if the small values are added one by one, and more than 1 if two are added first.
TEST_CASE("the tree adds ranks that are half of the ranks apart") {
    const float small = std::ldexp(1.0F, -24);
    std::vector<float> blocks{1, small, small, small};
    float sum = 0;
    runValues(1, cuda::TreeSumValue{blocks.data(), 1, 4, &sum});
    CHECK(sum == (1 + small) + (small + small));
    CHECK(sum > 1);
}

TEST_CASE("the GPU adds squares of gradients that are distributed over ranks as the CPU") {
    Cpu cpu;
    const auto kernels = cpu.backend->makeReductionKernels();
    const std::vector<double> rows{1, 4, 4, 0.25, 0, 9, 16};
    const std::vector<std::int64_t> ends{3, 3, 7};
    std::vector<double> squares(3, -1);
    runRows(3, cuda::TensorNormRow{rows.data(), ends.data(), squares.data()});
    CHECK(squares ==
          std::vector<double>{9, 0, static_cast<double>(std::sqrt(25.25F)) * static_cast<double>(std::sqrt(25.25F))});

    std::vector<double> byCpu(3, -1);
    std::vector<double> rowsCopy = rows;
    std::vector<std::int64_t> endsCopy = ends;
    kernels->squaresOfTensors(doublesAt(rowsCopy.data(), 7, {}), {endsCopy.data(), {3}, DType::kInt64, {}},
                              doublesAt(byCpu.data(), 3, {}));
    CHECK(squares == byCpu);

    double sum = 0;
    runRows(1, cuda::RowSumRow{rows.data(), rows.size(), &sum});
    CHECK(sum == 34.25);
}

TEST_CASE("the total of exact squares is that of the values, and NaN if one is infinite") {
    std::vector<std::int64_t> sums(kExactSums);
    for (const float value : {3.0F, -4.0F, 0.0F}) addExactSquare(value, sums.data());
    double square = 0;
    runValues(1, cuda::ExactTotalValue{sums.data(), &square});
    CHECK(square == 25);
    addExactSquare(std::numeric_limits<float>::infinity(), sums.data());
    runValues(1, cuda::ExactTotalValue{sums.data(), &square});
    CHECK(std::isnan(square));
}

TEST_CASE("every n-th row of a batch is copied to a leaf") {
    Cpu cpu;
    const Tensor from = cpu.tensor({0, 1, 10, 11, 20, 21, 30, 31, 40, 41}, {5, 2});
    const Tensor to = cpu.tensor({0, 0, 0, 0}, {2, 2});
    cpu.backend->makeReductionKernels()->copyEveryNth(from, 1, 3, to);
    CHECK(valuesOf(to) == std::vector<float>{10, 11, 40, 41});
}
