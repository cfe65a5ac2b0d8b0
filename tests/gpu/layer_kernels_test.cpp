// SPDX-License-Identifier: Apache-2.0
// Runs the GPU's kernels for images and transformers on the CPU, and compares them with the CPU backend, which other
// tests compare with PyTorch.
#include <cmath>
#include <limits>

#include "backend/cuda/kernels/attention_kernels.h"
#include "backend/cuda/kernels/column_kernels.h"
#include "backend/cuda/kernels/value_kernels.h"
#include "cpu_tensors.h"
#include "support/catch.h"
#include "support/tensors.h"

using namespace ringside;
using testing::valuesOf;

namespace {

// Returns the largest difference, relative to the largest value.
double apart(const std::vector<float>& mine, const Tensor& reference) {
    double largest = 1e-30;
    double difference = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const auto wanted = static_cast<double>(reference.floats()[i]);
        largest = std::max(largest, std::abs(wanted));
        difference = std::max(difference, std::abs(static_cast<double>(mine[i]) - wanted));
    }
    return difference / largest;
}

constexpr double kRounding = 2e-6;

}  // namespace

TEST_CASE("the GPU's max-pooling equals the CPU's, with edges left over, equal values, NaN and a ReLU before it") {
    const std::int64_t kernel = GENERATE(2, 3);
    const bool relu = GENERATE(false, true);
    const MaxPoolSpec spec{5, 7, 8, kernel, relu};
    const cuda::PoolSizes sizes{static_cast<std::size_t>(kernel), 5, 8, 7, relu};
    Cpu cpu;
    std::vector<float> x = numbers(2 * 7 * 8 * 5, 1);
    for (std::size_t i = 0; i < x.size(); i += 3) x[i] = x[i / 2];
    x[17] = std::numeric_limits<float>::quiet_NaN();
    const Shape out{2, 7 / kernel, 8 / kernel, 5};
    const Tensor y = cpu.tensor({}, out);
    const Tensor winners = cpu.backend->allocate(out, DType::kUInt8);
    cpu.backend->maxPoolForward(cpu.tensor(x, {2, 7, 8, 5}), y, winners, spec);
    const auto count = static_cast<std::size_t>(out.count());
    std::vector<float> ourY(count);
    std::vector<std::uint8_t> ourWinners(count);
    runValues(count, cuda::PooledValue{x.data(), ourY.data(), ourWinners.data(), sizes});
    CHECK(bits(ourY) == bits(valuesOf(y)));
    CHECK(std::equal(ourWinners.begin(), ourWinners.end(), static_cast<const std::uint8_t*>(winners.data)));

    const std::vector<float> gradY = numbers(count, 2);
    const Tensor gradX = cpu.tensor(numbers(x.size(), 3), {2, 7, 8, 5});
    cpu.backend->maxPoolBackward(cpu.tensor(gradY, out), winners, gradX, spec);
    std::vector<float> ourGradX(x.size(), 9.0F);
    runValues(x.size(), cuda::PoolGradientValue{gradY.data(), ourWinners.data(), ourGradX.data(), sizes});
    CHECK(bits(ourGradX) == bits(valuesOf(gradX)));
}

TEST_CASE("the GPU transposes the matrix of each sample as the CPU does") {
    Cpu cpu;
    const std::vector<float> x = numbers(3 * 5 * 7, 4);
    const Tensor y = cpu.tensor({}, {3, 7, 5});
    cpu.backend->transposeSamples(cpu.tensor(x, {3, 5, 7}), y, 5, 7);
    std::vector<float> ours(x.size());
    runValues(ours.size(), cuda::TransposedValue{x.data(), ours.data(), 5, 7});
    CHECK(ours == valuesOf(y));
}

TEST_CASE("addition and GELU on the GPU equal the CPU's") {
    Cpu cpu;
    const std::vector<float> x = numbers(999, 5);
    const std::vector<float> gradY = numbers(999, 6);
    const Tensor y = cpu.tensor({}, {999});
    cpu.backend->geluForward(cpu.tensor(x, {999}), y);
    std::vector<float> ours(999);
    runValues(999, cuda::GeluValue{x.data(), ours.data()});
    CHECK(apart(ours, y) < kRounding);

    const Tensor gradX = cpu.tensor({}, {999});
    cpu.backend->geluBackward(cpu.tensor(x, {999}), cpu.tensor(gradY, {999}), gradX);
    runValues(999, cuda::GeluGradientValue{x.data(), gradY.data(), ours.data()});
    CHECK(apart(ours, gradX) < kRounding);

    cpu.backend->add(cpu.tensor(x, {999}), gradX);
    runValues(999, cuda::AddValue{x.data(), ours.data()});
    CHECK(apart(ours, gradX) < kRounding);
}

TEST_CASE("the GPU's layer norm and its three gradients equal the CPU's") {
    constexpr std::size_t kRows = 6;
    constexpr std::size_t kColumns = 37;
    const Shape shape{kRows, kColumns};
    Cpu cpu;
    const std::vector<float> x = numbers(kRows * kColumns, 7);
    const std::vector<float> weight = numbers(kColumns, 8);
    const std::vector<float> bias = numbers(kColumns, 9);
    const std::vector<float> gradY = numbers(kRows * kColumns, 10);
    const Tensor cpuX = cpu.tensor(x, shape);
    const Tensor cpuWeight = cpu.tensor(weight, {kColumns});
    const Tensor cpuGradY = cpu.tensor(gradY, shape);
    const Tensor moments = cpu.tensor({}, {kRows, 2});
    const Tensor y = cpu.tensor({}, shape);
    cpu.backend->layerNormForward(cpuX, cpuWeight, cpu.tensor(bias, {kColumns}), y, moments);
    std::vector<float> ours(x.size());
    std::vector<float> ourMoments(2 * kRows);
    runRows(kRows, cuda::LayerNormRow{x.data(), weight.data(), bias.data(), ours.data(), ourMoments.data(), kColumns});
    CHECK(apart(ours, y) < kRounding);
    CHECK(apart(ourMoments, moments) < kRounding);

    const Tensor gradWeight = cpu.tensor({}, {kColumns});
    const Tensor gradBias = cpu.tensor({}, {kColumns});
    cpu.backend->layerNormBackwardParameters(cpuX, moments, cpuGradY, gradWeight, gradBias);
    std::vector<float> column(kColumns);
    runColumns(kRows, kColumns, cuda::LayerNormWeightTerm{x.data(), ourMoments.data(), gradY.data(), kColumns},
               cuda::PlainSum{column.data()});
    CHECK(apart(column, gradWeight) < kRounding);
    runColumns(kRows, kColumns, cuda::PlainTerm{gradY.data(), kColumns}, cuda::PlainSum{column.data()});
    CHECK(apart(column, gradBias) < kRounding);

    const Tensor gradX = cpu.tensor({}, shape);
    cpu.backend->layerNormBackwardInput(cpuX, moments, cpuWeight, cpuGradY, gradX);
    runRows(kRows, cuda::LayerNormGradientRow{x.data(), ourMoments.data(), weight.data(), gradY.data(), ours.data(),
                                              kColumns});
    CHECK(apart(ours, gradX) < kRounding);
}
