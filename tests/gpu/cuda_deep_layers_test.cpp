// SPDX-License-Identifier: Apache-2.0
// Compares batch norm, dropout, embeddings and attention on the GPU with the CPU backend, which other tests compare
// with PyTorch. The sizes need several warps, and several iterations of a warp.
#include "both_devices.h"
#include "support/catch.h"

using namespace ringside;

namespace {

Tensor onCpu(const Both::Pair& pair) {
    return pair.cpu;
}
Tensor onGpu(const Both::Pair& pair) {
    return pair.gpu;
}

// Makes the same calls on both devices.
template <class Calls>
void onBoth(Both& both, const Calls& calls) {
    calls(*both.cpu, onCpu);
    calls(both.gpu, onGpu);
}

}  // namespace

TEST_CASE("batch norm and average pooling on the GPU equal the CPU's, way back and running statistics too") {
    Both both;
    const Shape images{7, 11, 13, 65};
    const Shape channels{65};
    const auto x = both.floats(images, 1), gradY = both.floats(images, 2);
    const auto y = both.floats(images, 0), evaluated = both.floats(images, 0), gradX = both.floats(images, 0);
    const auto weight = both.floats(channels, 3), bias = both.floats(channels, 4), mean = both.floats(channels, 5);
    const auto variance = both.floats(channels, 0), moments = both.floats({2, 65}, 0);
    const auto gradWeight = both.floats(channels, 0), gradBias = both.floats(channels, 0);
    const auto pooled = both.floats({7, 65}, 0), spread = both.floats(images, 0);
    onBoth(both, [&](Backend& backend, auto of) {
        backend.batchNormForward(of(x), of(weight), of(bias), of(mean), of(variance), of(y), of(moments));
        backend.batchNormEvaluate(of(x), of(weight), of(bias), of(mean), of(variance), of(evaluated));
        backend.batchNormBackwardParameters(of(x), of(moments), of(gradY), of(gradWeight), of(gradBias));
        backend.batchNormBackwardInput(of(x), of(moments), of(weight), of(gradWeight), of(gradBias), of(gradY),
                                       of(gradX));
        backend.averagePoolForward(of(x), of(pooled));
        backend.averagePoolBackward(of(pooled), of(spread));
    });
    for (const auto* pair :
         {&y, &evaluated, &gradX, &mean, &variance, &moments, &gradWeight, &gradBias, &pooled, &spread})
        CHECK(both.difference(*pair) < kRounding);
}

TEST_CASE("the GPU drops the same values as the CPU, and counts in the same way") {
    Both both;
    const auto x = both.floats({1000, 37}, 1), y = both.floats({1000, 37}, 0);
    const auto key = both.labels(1, 10), counter = both.labels(1, 10);
    const std::int64_t drawn = 0x123456789abcdef;
    onBoth(both, [&](Backend& backend, auto of) {
        backend.upload(&drawn, of(key));
        backend.dropout(of(x), of(y), of(key), 0.3);
        for (int i = 0; i < 3; ++i) backend.countUp(of(counter));
    });
    CHECK(both.difference(y) == 0);
    std::int64_t counted = 0;
    both.gpu.download(counter.gpu, &counted);
    CHECK(counted == 3);
}

TEST_CASE("embeddings and positions on the GPU equal the CPU's") {
    constexpr std::int64_t kWords = 71, kWidth = 48, kPositions = 40, kRows = 3 * kPositions;
    Both both;
    const auto tokens = both.floats({kRows}, 0);
    std::vector<float> words;
    for (std::int64_t i = 0; i < kRows; ++i) words.push_back(static_cast<float>(i * 7 % (kWords - 1)));
    const auto table = both.floats({kWords, kWidth}, 1), positions = both.floats({kPositions, kWidth}, 2);
    const auto y = both.floats({kRows, kWidth}, 0), gradTable = both.floats({kWords, kWidth}, 9);
    const auto gradPositions = both.floats({kPositions, kWidth}, 9);
    onBoth(both, [&](Backend& backend, auto of) {
        backend.upload(words.data(), of(tokens));
        backend.embeddingForward(of(tokens), of(table), of(y));
        backend.addPositions(of(y), of(positions), of(y));
        backend.embeddingBackward(of(tokens), of(y), of(gradTable));
        backend.positionGradient(of(y), of(gradPositions));
    });
    CHECK(both.difference(y) == 0);
    CHECK(both.difference(gradTable) < kRounding);
    CHECK(both.difference(gradPositions) < kRounding);
}

TEST_CASE("causal attention on the GPU equals the CPU's, with more positions than a warp has lanes") {
    const AttentionSpec spec{.positions = 70, .heads = 3, .headSize = 16};
    const std::int64_t rows = 2 * spec.positions;
    const Shape square{2, spec.heads, spec.positions, spec.positions};
    Both both;
    const auto qkv = both.floats({rows, 3 * spec.width()}, 1), gradY = both.floats({rows, spec.width()}, 2);
    const auto shares = both.floats(square, 9), scratch = both.floats(square, 9), y = both.floats(gradY.cpu.shape, 0);
    const auto gradQkv = both.floats(qkv.cpu.shape, 9);
    onBoth(both, [&](Backend& backend, auto of) {
        backend.attentionForward(of(qkv), of(shares), of(y), spec);
        backend.attentionBackward(of(qkv), of(shares), of(gradY), of(scratch), of(gradQkv), spec);
    });
    CHECK(both.difference(y) < kRounding);
    CHECK(both.difference(gradQkv) < kRounding);
}
