// SPDX-License-Identifier: Apache-2.0
// Tests of the memory that each layer allocates when it is prepared, counted by hand from its shapes, and of the random
// decisions of layers, computed by other implementations of the same hashes.
#include <string>

#include "backend/backend.h"
#include "nn/blocks/attention.h"
#include "nn/blocks/recomputed.h"
#include "nn/blocks/residual.h"
#include "nn/blocks/unit.h"
#include "nn/layers/batch_norm2d.h"
#include "nn/layers/conv2d.h"
#include "nn/layers/dropout.h"
#include "nn/layers/embedding.h"
#include "nn/layers/gelu.h"
#include "nn/layers/global_average_pool.h"
#include "nn/layers/image_order.h"
#include "nn/layers/layer_norm.h"
#include "nn/layers/linear.h"
#include "nn/layers/max_pool2d.h"
#include "nn/layers/pooled_conv2d.h"
#include "nn/layers/relu.h"
#include "nn/models/loss.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kPrepared = 4;    // largest batch
constexpr std::int64_t kValueBytes = 4;  // bytes of a value

// Returns the bytes that a layer allocates for batches of four samples of this shape.
std::int64_t bytesOf(Layer&& layer, const Shape& sample) {
    const auto backend = makeCpuBackend(1);
    layer.prepare(*backend, sample, kPrepared);
    return backend->memory().total();
}

Layers oneLinear(std::int64_t in, std::int64_t out) {
    Layers layers;
    layers.push_back({std::make_unique<Linear>(in, out, "0."), {.input = {in}, .output = {out}}});
    return layers;
}

std::int64_t lossBytes(LossKind kind, std::int64_t classes, std::int64_t targets, std::int64_t positions = 1) {
    const auto backend = makeCpuBackend(1);
    const auto loss = makeLoss(kind, classes, targets, kPrepared, *backend, positions).value();
    CHECK(backend->memory().bytesOf(MemoryClass::kActivations) == backend->memory().total());
    return backend->memory().total();
}

}  // namespace

TEST_CASE("a layer allocates its output and the memory of its backward pass") {
    CHECK(bytesOf(Linear(5, 3, ""), {5}) == kValueBytes * (4 * 3 + 4 * 5));
    CHECK(bytesOf(Linear(5, 3, ""), {2, 5}) == kValueBytes * (8 * 3 + 8 * 5));  // each position is a row
    CHECK(bytesOf(Gelu(), {5}) == kValueBytes * (20 + 20));
    CHECK(bytesOf(ReLU(false), {5}) == kValueBytes * 20);
    // None: the layer works in the memory of its input.
    CHECK(bytesOf(ReLU(true), {5}) == 0);
    // The last 8 bytes are the key of the random numbers.
    CHECK(bytesOf(Dropout(0.5, 0), {5}) == kValueBytes * (20 + 20) + 8);
    CHECK(bytesOf(Dropout(0, 0), {5}) == 0);
    // Mean and deviation of each row, not of each sample.
    CHECK(bytesOf(LayerNorm(5, ""), {5}) == kValueBytes * (20 + 4 * 2 + 20));
    CHECK(bytesOf(LayerNorm(5, ""), {2, 5}) == kValueBytes * (40 + 8 * 2 + 40));
    CHECK(bytesOf(Embedding(7, 3, ""), {6}) == kValueBytes * 4 * 6 * 3);
    CHECK(bytesOf(PositionEmbedding(6, 3, ""), {6, 3}) == kValueBytes * 4 * 6 * 3);
}

TEST_CASE("a layer of images allocates its output and the memory of its backward pass") {
    // Two channels of 3 x 5 pixels. Moments of the batch, unused statistics of a repeated pass, gradients of weight and
    // bias.
    CHECK(bytesOf(BatchNorm2d(2, ""), {2, 3, 5}) == kValueBytes * (120 + 2 * 2 + 2 * 2 + 2 + 2 + 120));
    CHECK(bytesOf(GlobalAveragePool(), {2, 3, 5}) == kValueBytes * (4 * 2 + 120));
    CHECK(bytesOf(ImageOrder(ImageOrder::To::kFlat), {2, 3, 5}) == kValueBytes * (120 + 120));
    CHECK(bytesOf(ImageOrder(ImageOrder::To::kFlat), {2, 5, 1}) == kValueBytes * (40 + 40));
    CHECK(bytesOf(ImageOrder(ImageOrder::To::kFlat), {1, 3, 5}) == 0);  // none: both orders are the same
    CHECK(bytesOf(ImageOrder(ImageOrder::To::kFlat), {2, 1, 1}) == 0);
    CHECK(bytesOf(ImageOrder(ImageOrder::To::kFlat), {6}) == 0);
    // 4 x 6 pixels become 2 x 3; the place of a maximum in its window is one byte.
    CHECK(bytesOf(MaxPool2d({.channels = 2, .height = 4, .width = 6, .kernel = 2}), {2, 4, 6}) ==
          kValueBytes * (4 * 2 * 6) + 4 * 2 * 6 + kValueBytes * (4 * 2 * 24));
    // 5 x 7 pixels become 3 x 5 without padding, in three channels.
    const ConvolutionSpec spec{.inChannels = 2, .height = 5, .width = 7, .outChannels = 3, .kernel = 3};
    CHECK(bytesOf(Conv2d(spec, ""), {2, 5, 7}) == kValueBytes * (4 * 3 * 15 + 4 * 2 * 35));
}

TEST_CASE("a convolution with its pooling allocates the output of the convolution for one part of the batch") {
    const auto bytes = [](std::int64_t size, bool bias) {
        const ConvolutionSpec spec{2, size, size, 3, 3, 1, 1, bias};
        return bytesOf(PooledConv2d(spec, {.channels = 3, .height = size, .width = size, .kernel = 2}, ""),
                       {2, size, size});
    };
    // The terms of each size: pooled values and the places of their maxima, the gradient by the input, and the gradient
    // of the weight (and bias) by one part.
    const auto others = [](std::int64_t size) {
        return (kValueBytes + 1) * 4 * 3 * (size / 2) * (size / 2) + kValueBytes * 4 * 2 * size * size +
               kValueBytes * 3 * 2 * 9;
    };
    CHECK(bytes(8, true) == others(8) + kValueBytes * 3 + kValueBytes * 4 * 3 * 64);  // all four images are one part
    CHECK(bytes(8, false) == others(8) + kValueBytes * 4 * 3 * 64);
    // An image of 256 x 256 x 3 values is 768 KiB: two are a part of 2 MiB at most. One of 512 x 512 x 3 is larger.
    CHECK(bytes(256, false) == others(256) + kValueBytes * 2 * 3 * 256 * 256);
    CHECK(bytes(512, false) == others(512) + kValueBytes * 1 * 3 * 512 * 512);
}

TEST_CASE("a block allocates the memory of its layers and of its own copies") {
    const std::int64_t linear = kValueBytes * (4 * 3 + 4 * 5);
    CHECK(bytesOf(Residual(oneLinear(5, 5), {}), {5}) == kValueBytes * (20 + 20));
    CHECK(bytesOf(Residual(oneLinear(5, 3), oneLinear(5, 3)), {5}) == 2 * linear);
    // A block that can be skipped copies its output and the gradient by its input.
    CHECK(bytesOf(Residual(oneLinear(5, 3), oneLinear(5, 3), {.probability = 0.5}), {5}) ==
          2 * linear + kValueBytes * (4 * 3 + 4 * 5));
    CHECK(bytesOf(Unit(std::make_unique<Linear>(5, 3, "")), {5}) == linear);
    // Three positions, two heads of four values. Queries, keys and values of each position, and their gradients; the
    // output of the attention and its projection; the gradients by the inputs of the linear layers.
    const std::int64_t kept = kValueBytes * 4 * (2 * 3);  // of the CPU: one value per head and position
    CHECK(bytesOf(Attention({.positions = 3, .heads = 2, .headSize = 4}, ""), {3, 8}) ==
          kValueBytes * 12 * (24 + 8) + kValueBytes * 12 * (8 + 24) + kept + kValueBytes * 12 * (8 + 8));
}

TEST_CASE("recomputed groups share the memory of their layers") {
    const auto backend = makeCpuBackend(1);
    const auto shared = std::make_shared<ReusedMemory>(*backend);
    Recomputed first(oneLinear(5, 3), shared);
    first.prepare(*backend, {5}, kPrepared);
    const std::int64_t own = kValueBytes * (4 * 3 + 4 * 5);  // output and gradient by the input
    CHECK(backend->memory().total() == 2 * own);
    Recomputed second(oneLinear(5, 3), shared);
    second.prepare(*backend, {5}, kPrepared);
    CHECK(backend->memory().total() == 3 * own);
}

TEST_CASE("memory of an earlier layer is reused where it is large enough") {
    const auto backend = makeCpuBackend(1);
    ReusedMemory memory(*backend);
    const Tensor first = memory.allocate({4}, DType::kFloat32);
    const Tensor second = memory.allocate({6}, DType::kFloat32);
    CHECK(first.data != second.data);
    CHECK(second.shape == Shape{6});
    CHECK(backend->memory().total() == 16 + 24);
    memory.reset();
    CHECK(memory.allocate({2, 2}, DType::kFloat32).data == first.data);
    CHECK(memory.allocate({3}, DType::kInt64).data == second.data);  // 24 bytes
    CHECK(backend->memory().total() == 16 + 24);
    memory.reset();
    CHECK(memory.allocate({5}, DType::kFloat32).data == second.data);  // the first block is too small
    CHECK(memory.allocate({1}, DType::kFloat32).data != first.data);
    CHECK(backend->memory().total() == 16 + 24 + 4);
}

TEST_CASE("a loss allocates its gradient and one result of each kind for each row") {
    CHECK(lossBytes(LossKind::kCrossEntropy, 3, 0) == kValueBytes * (4 * 3 + 4 + 4));
    CHECK(lossBytes(LossKind::kCrossEntropy, 3, 0, 5) == kValueBytes * (20 * 3 + 20 + 20));
    CHECK(lossBytes(LossKind::kMse, 0, 2) == kValueBytes * (4 * 2 + 4));
}

TEST_CASE("blocks are skipped in the passes that SplitMix64 decides") {
    // For passes with the keys 0 to 63 and a probability of one half, computed by a program of a few lines in Python
    // that gives the published first numbers of SplitMix64 (0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4): s is a skip.
    const auto decisions = [](std::uint64_t number) {
        const auto backend = makeCpuBackend(1);
        Residual block(oneLinear(2, 2), {}, {.probability = 0.5, .number = number});
        block.prepare(*backend, {2}, 1);
        std::string text;
        for (std::uint64_t key = 0; key < 64; ++key) {
            block.begin({.training = true, .key = key});
            text += block.isUsed(*block.parameters().front()) ? '-' : 's';
        }
        return text;
    };
    CHECK(decisions(0) == "s---sss--ss-s-s--ssssssss-s------ss--ss-s-s--sss--s-s---ss-s--s-");
    CHECK(decisions(1) == "s---s----s---s-sssss-s----s-ss-sss-ss-sss--sss----s-s-s-s-s-s-s-");
    CHECK(decisions(5) == "s----sss----sss--s---ss----ss---ss-s-s--s-sssss-ssss---s-sssss-s");
}

TEST_CASE("dropout keeps the values that its hash decides") {
    // Computed as above, with MurmurHash3's last step, for the key 7 and the layer 3: k is a kept value.
    const auto kept = [](double probability) {
        const auto backend = makeCpuBackend(1);
        Dropout layer(probability, 3);
        layer.prepare(*backend, {64}, 1);
        layer.begin({.training = true, .key = 7});
        const Tensor x = backend->allocate({1, 64}, DType::kFloat32);
        backend->fill(x, 1);
        std::string text;
        for (const float value : layer.forward(x).floats()) text += value == 0 ? '-' : 'k';
        return text;
    };
    CHECK(kept(0.5) == "k-k------k--kk--k--k--k--kkkk-k---kkk---kkkk-k-kkk-kkkkkk-kkk---");
    CHECK(kept(0.25) == "kkk-kkkkkkkkkk-kk-kk-kk--kkkk-k-kkkkkk--kkkkkkkkkkkkkkkkk-kkkk-k");
}
