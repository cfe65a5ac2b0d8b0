// SPDX-License-Identifier: Apache-2.0
// Runs the GPU's kernels for batch norm, pooling, dropout, embeddings and attention on the CPU, and compares them with
// the CPU backend, which other tests compare with PyTorch.
#include <cmath>

#include "backend/cuda/kernels/attention_kernels.h"
#include "backend/cuda/kernels/column_kernels.h"
#include "backend/cuda/kernels/value_kernels.h"
#include "cpu_tensors.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr double kDeepRounding = 3e-6;

// A tensor of the CPU backend, and memory with the same content for the GPU's kernels.
struct Twin {
    Twin(Cpu& cpu, const Shape& shape, std::uint32_t seed)
        : ours(seed == 0 ? std::vector<float>(static_cast<std::size_t>(shape.count()))
                         : numbers(static_cast<std::size_t>(shape.count()), seed)),
          cpus(cpu.tensor(ours, shape)) {}
    float* data() { return ours.data(); }
    std::size_t count() const { return ours.size(); }
    // Returns the largest difference, relative to the largest value.
    double apart() const {
        double largest = 1e-30;
        double difference = 0;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const auto wanted = static_cast<double>(cpus.floats()[i]);
            largest = std::max(largest, std::abs(wanted));
            difference = std::max(difference, std::abs(static_cast<double>(ours[i]) - wanted));
        }
        return difference / largest;
    }
    std::vector<float> ours;
    Tensor cpus;
};

}  // namespace

TEST_CASE("the GPU's batch norm, its running statistics and its gradients equal the CPU's") {
    constexpr std::size_t kChannels = 5;
    constexpr std::size_t kPixels = 3 * 4 * 6;
    const Shape images{3, 4, 6, kChannels};
    Cpu cpu;
    Twin x(cpu, images, 1), weight(cpu, {kChannels}, 2), bias(cpu, {kChannels}, 3), gradY(cpu, images, 4);
    Twin mean(cpu, {kChannels}, 5), variance(cpu, {kChannels}, 0), y(cpu, images, 0), moments(cpu, {2, kChannels}, 0);
    cpu.backend->batchNormForward(x.cpus, weight.cpus, bias.cpus, mean.cpus, variance.cpus, y.cpus, moments.cpus);
    runColumns(kPixels, kChannels, cuda::PlainTerm{x.data(), kChannels},
               cuda::BatchMean{moments.data(), mean.data(), kPixels, 0.1F});
    runColumns(kPixels, kChannels, cuda::SquaredDistanceTerm{x.data(), moments.data(), kChannels},
               cuda::BatchVariance{moments.data() + kChannels, variance.data(), kPixels, 0.1F});
    runValues(y.count(),
              cuda::BatchNormValue{x.data(), moments.data(), weight.data(), bias.data(), y.data(), kChannels});
    CHECK(y.apart() < kDeepRounding);
    CHECK(moments.apart() < kDeepRounding);
    CHECK(mean.apart() < kDeepRounding);
    CHECK(variance.apart() < kDeepRounding);

    Twin gradWeight(cpu, {kChannels}, 0), gradBias(cpu, {kChannels}, 0), gradX(cpu, images, 0);
    cpu.backend->batchNormBackwardParameters(x.cpus, moments.cpus, gradY.cpus, gradWeight.cpus, gradBias.cpus);
    runColumns(kPixels, kChannels, cuda::BatchNormWeightTerm{x.data(), moments.data(), gradY.data(), kChannels},
               cuda::PlainSum{gradWeight.data()});
    runColumns(kPixels, kChannels, cuda::PlainTerm{gradY.data(), kChannels}, cuda::PlainSum{gradBias.data()});
    CHECK(gradWeight.apart() < kDeepRounding);
    CHECK(gradBias.apart() < kDeepRounding);
    cpu.backend->batchNormBackwardInput(x.cpus, moments.cpus, weight.cpus, gradWeight.cpus, gradBias.cpus, gradY.cpus,
                                        gradX.cpus);
    runValues(gradX.count(),
              cuda::BatchNormGradientValue{x.data(), moments.data(), weight.data(), gradWeight.data(), gradBias.data(),
                                           gradY.data(), gradX.data(), kChannels, 1.0F / kPixels});
    CHECK(gradX.apart() < kDeepRounding);

    for (float& value : variance.ours) value = std::abs(value) + 0.5F;
    std::copy(variance.ours.begin(), variance.ours.end(), variance.cpus.floats().begin());
    std::copy(mean.ours.begin(), mean.ours.end(), mean.cpus.floats().begin());
    cpu.backend->batchNormEvaluate(x.cpus, weight.cpus, bias.cpus, mean.cpus, variance.cpus, y.cpus);
    runValues(y.count(), cuda::BatchNormEvaluatedValue{x.data(), weight.data(), bias.data(), mean.data(),
                                                       variance.data(), y.data(), kChannels});
    CHECK(y.apart() < kDeepRounding);
}

TEST_CASE("the GPU's average pooling and its gradient equal the CPU's") {
    Cpu cpu;
    Twin x(cpu, {2, 3, 4, 7}, 1), y(cpu, {2, 7}, 0), gradX(cpu, {2, 3, 4, 7}, 0);
    cpu.backend->averagePoolForward(x.cpus, y.cpus);
    runValues(y.count(), cuda::AveragedValue{x.data(), y.data(), 12, 7});
    CHECK(y.apart() < kDeepRounding);
    cpu.backend->averagePoolBackward(y.cpus, gradX.cpus);
    runValues(gradX.count(), cuda::AverageGradientValue{y.data(), gradX.data(), 12, 7});
    CHECK(gradX.apart() < kDeepRounding);
}

TEST_CASE("the GPU drops the same values as the CPU") {
    Cpu cpu;
    Twin x(cpu, {1000}, 1), y(cpu, {1000}, 0);
    const Tensor key = cpu.backend->allocate({1}, DType::kInt64);
    key.integers()[0] = 0x123456789abcdef;
    cpu.backend->dropout(x.cpus, y.cpus, key, 0.3);
    runValues(1000, cuda::DroppedValue{x.data(), y.data(), key.integers().data(), dropoutThreshold(0.3),
                                       static_cast<float>(1 / (1 - 0.3))});
    CHECK(bits(y.ours) == bits(y.cpus.floats()));
}

TEST_CASE("the GPU's embeddings and positions and their gradients equal the CPU's") {
    constexpr std::size_t kWords = 9;
    constexpr std::size_t kWidth = 6;
    constexpr std::size_t kTokens = 20;  // 4 sequences of 5
    Cpu cpu;
    Twin table(cpu, {kWords, kWidth}, 1), y(cpu, {kTokens, kWidth}, 0), gradTable(cpu, {kWords, kWidth}, 0);
    Twin tokens(cpu, {kTokens}, 0);
    for (std::size_t i = 0; i < kTokens; ++i)
        tokens.ours[i] = tokens.cpus.floats()[i] = static_cast<float>(i * 7 % (kWords - 1));
    cpu.backend->embeddingForward(tokens.cpus, table.cpus, y.cpus);
    runValues(y.count(), cuda::EmbeddedValue{tokens.data(), table.data(), y.data(), kWidth});
    CHECK(y.apart() == 0);
    cpu.backend->embeddingBackward(tokens.cpus, y.cpus, gradTable.cpus);
    runRows(kWords, cuda::EmbeddingGradientRow{tokens.data(), y.data(), gradTable.data(), kTokens, kWidth});
    CHECK(gradTable.apart() < kDeepRounding);

    Twin positions(cpu, {5, kWidth}, 2), gradPositions(cpu, {5, kWidth}, 0), moved(cpu, {kTokens, kWidth}, 0);
    cpu.backend->addPositions(y.cpus, positions.cpus, moved.cpus);
    runValues(moved.count(), cuda::PositionedValue{y.data(), positions.data(), moved.data(), 5 * kWidth});
    CHECK(moved.apart() == 0);
    cpu.backend->positionGradient(y.cpus, gradPositions.cpus);
    runValues(gradPositions.count(), cuda::PositionGradientValue{y.data(), gradPositions.data(), 5 * kWidth, 4});
    CHECK(gradPositions.apart() < kDeepRounding);
}

TEST_CASE("the GPU's causal attention and its gradient equal the CPU's") {
    const std::int64_t positions = GENERATE(7, 40);  // fewer and more than a warp has lanes
    const AttentionSpec spec{positions, 3, 4};
    const cuda::AttentionSizes sizes{static_cast<std::size_t>(positions), 3, 4};
    constexpr std::int64_t kSequences = 2;
    const Shape rows{kSequences * positions, 12};
    const Shape square{kSequences, 3, positions, positions};
    Cpu cpu;
    Twin qkv(cpu, {kSequences * positions, 36}, 1), gradY(cpu, rows, 2), gradQkv(cpu, {kSequences * positions, 36}, 0);
    Twin shares(cpu, square, 0), scratch(cpu, square, 0), y(cpu, rows, 0);
    cpu.backend->attentionForward(qkv.cpus, shares.cpus, y.cpus, spec);
    const std::size_t shareRows = kSequences * 3 * sizes.positions;
    runRows(shareRows, cuda::AttentionShareRow{qkv.data(), shares.data(), sizes});
    runValues(y.count(), cuda::AttendedValue{qkv.data(), shares.data(), y.data(), sizes});
    CHECK(y.apart() < kDeepRounding);
    CHECK(shares.ours[1] == 0);  // the first position attends to itself only
    CHECK(shares.ours[0] == 1);

    cpu.backend->attentionBackward(qkv.cpus, shares.cpus, gradY.cpus, scratch.cpus, gradQkv.cpus, spec);
    runRows(shareRows, cuda::AttentionScoreGradientRow{qkv.data(), shares.data(), gradY.data(), scratch.data(), sizes});
    runValues(gradQkv.count(), cuda::AttentionGradientValue{qkv.data(), shares.data(), scratch.data(), gradY.data(),
                                                            gradQkv.data(), sizes});
    CHECK(gradQkv.apart() < kDeepRounding);
}
