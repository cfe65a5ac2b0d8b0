// SPDX-License-Identifier: Apache-2.0
// The GPU's arithmetic, run on the CPU and compared with the CPU backend, which is tested against PyTorch.
#include "backend/cuda/device_math.h"

#include <limits>
#include <vector>

#include "backend/cuda/optimizer_scalars.h"
#include "backend/cuda/value_kernels.h"
#include "cpu_tensors.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A row as the kernel's warp sees it: each lane its columns, then a butterfly.
cuda::Largest largestByWarp(const std::vector<float>& row) {
    std::vector<cuda::Largest> lanes(32, {row[0], 0});
    for (std::size_t c = 0; c < row.size(); ++c)
        lanes[c % 32] = cuda::largerOf(lanes[c % 32], {row[c], static_cast<std::int64_t>(c)});
    for (std::size_t distance = 16; distance > 0; distance /= 2) {
        const auto before = lanes;
        for (std::size_t lane = 0; lane < 32; ++lane)
            lanes[lane] = cuda::largerOf(before[lane], before[lane ^ distance]);
    }
    for (const auto& lane : lanes) CHECK(lane.index == lanes[0].index);
    return lanes[0];
}

}  // namespace

TEST_CASE("The GPU's ReLU and its gradient equal the CPU's, NaN included") {
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

    std::vector<float> ourY;
    std::vector<float> ourGradient;
    for (std::size_t i = 0; i < x.size(); ++i) {
        ourY.push_back(cuda::reluOf(x[i]));
        ourGradient.push_back(cuda::reluGradientOf(ourY[i], gradient[i]));
    }
    CHECK(bits(ourY) == bits(Cpu::values(y)));
    CHECK(bits(ourGradient) == bits(Cpu::values(gradX)));
}

TEST_CASE("The GPU's SGD equals the CPU's bit for bit, in every combination of options") {
    const double momentum = GENERATE(0.0, 0.9);
    const double decay = GENERATE(0.0, 5e-4);
    const double dampening = GENERATE(0.0, 0.1);
    const bool nesterov = GENERATE(false, true) && momentum > 0 && dampening == 0;
    Cpu cpu;
    std::vector<float> parameter = numbers(500, 3);
    std::vector<float> velocity(500);
    const Tensor cpuParameter = cpu.tensor(parameter, {500});
    const Tensor cpuMomentum = momentum > 0 ? cpu.tensor(velocity, {500}) : Tensor{};
    for (int step = 0; step < 5; ++step) {
        const SgdStep options{0.1, momentum, dampening, decay, nesterov, step == 0};
        const std::vector<float> gradient = numbers(500, 10U + static_cast<std::uint32_t>(step));
        cpu.backend->sgd(cpuParameter, cpu.tensor(gradient, {500}), cpuMomentum, options);
        const cuda::SgdScalars scalars = cuda::scalarsOf(options);
        for (std::size_t i = 0; i < parameter.size(); ++i)
            parameter[i] = cuda::sgdOf(parameter[i], gradient[i], &velocity[i], scalars);
        REQUIRE(bits(parameter) == bits(Cpu::values(cpuParameter)));
    }
}

TEST_CASE("The GPU's Adam and AdamW equal the CPU's bit for bit, with and without weight decay") {
    const bool decoupled = GENERATE(false, true);
    const double decay = GENERATE(0.0, 0.01);
    Cpu cpu;
    std::vector<float> parameter = numbers(500, 3);
    std::vector<float> first(500);
    std::vector<float> second(500);
    const Tensor cpuParameter = cpu.tensor(parameter, {500});
    const Tensor cpuFirst = cpu.tensor(first, {500});
    const Tensor cpuSecond = cpu.tensor(second, {500});
    for (int step = 1; step <= 5; ++step) {
        const AdamStep options{1e-3, 0.9, 0.999, 1e-8, decay, decoupled, step};
        const std::vector<float> gradient = numbers(500, 10U + static_cast<std::uint32_t>(step));
        cpu.backend->adam(cpuParameter, cpu.tensor(gradient, {500}), cpuFirst, cpuSecond, options);
        const cuda::AdamScalars scalars = cuda::scalarsOf(options);
        runValues(500, cuda::AdamValue{parameter.data(), gradient.data(), first.data(), second.data(), &scalars});
        REQUIRE(bits(parameter) == bits(Cpu::values(cpuParameter)));
        REQUIRE(bits(second) == bits(Cpu::values(cpuSecond)));
    }
}

TEST_CASE("The GPU's cross-entropy and gradient equal the CPU's to rounding") {
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

    for (std::size_t r = 0; r < kRows; ++r) {
        const std::vector<float> row(logits.begin() + static_cast<std::ptrdiff_t>(r * columns),
                                     logits.begin() + static_cast<std::ptrdiff_t>((r + 1) * columns));
        const auto label = static_cast<std::size_t>(labels.integers()[r]);
        const cuda::Largest largest = largestByWarp(row);
        CHECK((largest.index == labels.integers()[r] ? 1.0F : 0.0F) == correct.floats()[r]);
        float sum = 0;
        for (float value : row) sum += std::exp(value - largest.value);
        CHECK(cuda::crossEntropyOf(largest.value, row[label], sum) == Approx(loss.floats()[r]).epsilon(2e-6));
        for (std::size_t c = 0; c < columns; ++c)
            CHECK(cuda::softmaxGradientOf(std::exp(row[c] - largest.value), sum, c == label, 1.0F / kRows) ==
                  Approx(gradient.floats()[r * columns + c]).epsilon(4e-6).margin(1e-9));
    }
}

TEST_CASE("Cross-entropy of two equal logits is ln 2, and its gradient plus and minus a half") {
    CHECK(cuda::crossEntropyOf(3.0F, 3.0F, 2.0F) == Approx(0.6931472));
    CHECK(cuda::softmaxGradientOf(1.0F, 2.0F, false, 1.0F) == 0.5F);
    CHECK(cuda::softmaxGradientOf(1.0F, 2.0F, true, 1.0F) == -0.5F);
}

TEST_CASE("The largest logit is the first among equals, whatever lane it is in") {
    std::vector<float> row(100, -1.0F);
    row[70] = 2;
    row[37] = 2;
    row[99] = 2;
    CHECK(largestByWarp(row).index == 37);
    CHECK(largestByWarp({5.0F, 5.0F}).index == 0);
    CHECK(largestByWarp({5.0F}).index == 0);
}

TEST_CASE("The GPU's squared error equals the CPU's") {
    Cpu cpu;
    const std::vector<float> prediction = numbers(12, 6);
    const std::vector<float> target = numbers(12, 7);
    const Tensor loss = cpu.tensor({}, {3});
    const Tensor gradient = cpu.tensor({}, {3, 4});
    cpu.backend->meanSquaredError(cpu.tensor(prediction, {3, 4}), cpu.tensor(target, {3, 4}), loss, gradient);
    for (std::size_t r = 0; r < 3; ++r) {
        double sum = 0;
        for (std::size_t i = r * 4; i < r * 4 + 4; ++i) {
            sum += cuda::squaredDifferenceOf(prediction[i], target[i]);
            CHECK(cuda::meanSquaredGradientOf(prediction[i], target[i], 2.0F / 12) == gradient.floats()[i]);
        }
        CHECK(static_cast<float>(sum / 4) == loss.floats()[r]);
    }
}
