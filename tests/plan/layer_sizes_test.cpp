// SPDX-License-Identifier: Apache-2.0
// Tests of parameters, memory and cost of single layers, counted by hand.
#include "plan/layer_sizes.h"

#include "layers_of.h"

using namespace ringside;
using namespace ringside::test;

namespace {

LayerDescription layerOf(LayerKind kind, const Shape& input, const Shape& output) {
    LayerDescription layer;
    layer.kind = kind;
    layer.input = input;
    layer.output = output;
    return layer;
}

LayerDescription linear(const Shape& input, std::int64_t outputs) {
    LayerDescription layer =
        layerOf(LayerKind::kLinear, input, input.dimensions() == 2 ? Shape{input[0], outputs} : Shape{outputs});
    layer.outputs = outputs;
    return layer;
}

// Returns a convolution with a kernel of 3 x 3 and a padding of 1.
LayerDescription convolution(const Shape& input, std::int64_t outputs, bool bias = true) {
    LayerDescription layer = layerOf(LayerKind::kConv2d, input, {outputs, input[1], input[2]});
    layer.outputs = outputs;
    layer.kernel = 3;
    layer.padding = 1;
    layer.bias = bias;
    return layer;
}

LayerDescription pooling(const Shape& input, std::int64_t kernel) {
    LayerDescription layer = layerOf(LayerKind::kMaxPool2d, input, {input[0], input[1] / kernel, input[2] / kernel});
    layer.kernel = kernel;
    return layer;
}

// Returns the bytes that a layer allocates for this number of samples.
std::int64_t bytesOf(const BuiltLayer& layer, std::int64_t samples) {
    std::int64_t bytes = layer.ownBytes;
    for (const LayerAllocation& one : layer.memory) bytes += one.bytes(samples);
    return bytes;
}

std::vector<std::int64_t> rowsOf(const BuiltLayer& layer) {
    std::vector<std::int64_t> rows;
    for (const TensorSize& one : layer.parameters) rows.push_back(one.rows);
    return rows;
}

}  // namespace

TEST_CASE("the size of a linear layer follows from its features and positions") {
    const BuiltLayer one = builtLayer(linear({5}, 3), true);
    CHECK(rowsOf(one) == std::vector<std::int64_t>{3, 3});
    CHECK((one.parameters[0].values == 15 && one.parameters[1].values == 3));
    CHECK((one.parameters[0].valuesPerRow() == 5 && one.parameters[1].valuesPerRow() == 1));
    CHECK(one.parameterCount() == 18);
    CHECK(one.parametersOfUnits == std::vector<std::size_t>{2});
    CHECK(bytesOf(one, 4) == 4 * 4 * (3 + 5));  // output, and gradient by the input
    CHECK(one.cost == 18 + 5);
    CHECK(one.flops == 2 * 15);
    CHECK((one.input == Shape{5} && one.output == Shape{3}));
    const BuiltLayer sequence = builtLayer(linear({7, 5}, 3), true);
    CHECK(sequence.parameterCount() == 18);
    CHECK(bytesOf(sequence, 4) == 4 * 4 * 7 * (3 + 5));
    CHECK(sequence.cost == 18 * 7 + 35);
    CHECK(TensorSize{}.valuesPerRow() == 0);
}

TEST_CASE("the size of a convolution follows from its channels, kernel and pixels") {
    const BuiltLayer one = builtLayer(convolution({2, 5, 7}, 3), true);
    CHECK(rowsOf(one) == std::vector<std::int64_t>{3, 3});
    CHECK((one.parameters[0].values == 3 * 2 * 9 && one.parameters[1].values == 3));
    CHECK(bytesOf(one, 4) == 4 * 4 * (3 * 35 + 2 * 35));
    CHECK(one.cost == 57 * 35 + 70);
    const BuiltLayer plain = builtLayer(convolution({2, 5, 7}, 3, false), true);
    CHECK(rowsOf(plain) == std::vector<std::int64_t>{3});
    CHECK(plain.parametersOfUnits == std::vector<std::size_t>{1});
}

TEST_CASE("layers without parameters need memory for their output and the gradient by their input") {
    CHECK(bytesOf(builtLayer(layerOf(LayerKind::kGelu, {5}, {5}), true), 4) == 4 * 4 * 10);
    CHECK(bytesOf(builtLayer(layerOf(LayerKind::kReLU, {5}, {5}), false), 4) == 4 * 4 * 5);
    CHECK(bytesOf(builtLayer(layerOf(LayerKind::kReLU, {5}, {5}), true), 4) == 0);
    CHECK(bytesOf(builtLayer(layerOf(LayerKind::kGlobalAveragePool, {2, 3, 5}, {2}), true), 4) == 4 * 4 * (2 + 30));
    // The place of each maximum is one byte.
    CHECK(bytesOf(builtLayer(pooling({2, 4, 6}, 2), true), 4) == 4 * (4 * 12 + 12 + 4 * 48));
    LayerDescription dropout = layerOf(LayerKind::kDropout, {5}, {5});
    CHECK(bytesOf(builtLayer(dropout, true), 4) == 0);
    dropout.probability = 0.5;
    CHECK(bytesOf(builtLayer(dropout, true), 4) == 4 * 4 * 10 + 8);
    CHECK(builtLayer(dropout, true).ownBytes == 8);
    const BuiltLayer relu = builtLayer(layerOf(LayerKind::kReLU, {5}, {5}), true);
    CHECK((relu.cost == 5 && relu.parametersOfUnits.empty() && relu.buffers == 0));
}

TEST_CASE("a norm keeps two numbers for each row or channel") {
    const BuiltLayer rows = builtLayer(layerOf(LayerKind::kLayerNorm, {7, 5}, {7, 5}), true);
    CHECK(rowsOf(rows) == std::vector<std::int64_t>{5, 5});
    CHECK(bytesOf(rows, 4) == 4 * 4 * (35 + 2 * 7 + 35));
    CHECK((rows.buffers == 0 && rows.bufferBytes == 0));
    CHECK(bytesOf(builtLayer(layerOf(LayerKind::kLayerNorm, {5}, {5}), true), 4) == 4 * 4 * (5 + 2 + 5));
    const BuiltLayer batch = builtLayer(layerOf(LayerKind::kBatchNorm2d, {2, 3, 5}, {2, 3, 5}), true);
    CHECK(rowsOf(batch) == std::vector<std::int64_t>{2, 2});
    CHECK((batch.buffers == 3 && batch.bufferBytes == 4 * 2 * 2 + 8));
    // Moments, unused statistics and two gradients do not depend on the number of samples.
    CHECK(bytesOf(batch, 4) == 4 * 4 * (30 + 30) + 4 * 2 * (2 + 2 + 1 + 1));
    CHECK(bytesOf(batch, 0) == 4 * 2 * 6);
}

TEST_CASE("layers of sequences have tables, heads and projections") {
    LayerDescription embedding = layerOf(LayerKind::kEmbedding, {6}, {6, 3});
    embedding.words = 11;
    embedding.outputs = 3;
    const BuiltLayer words = builtLayer(embedding, true);
    CHECK((rowsOf(words) == std::vector<std::int64_t>{11} && words.parameterCount() == 33));
    CHECK(bytesOf(words, 4) == 4 * 4 * 18);
    const BuiltLayer places = builtLayer(layerOf(LayerKind::kPositionEmbedding, {6, 3}, {6, 3}), true);
    CHECK((rowsOf(places) == std::vector<std::int64_t>{6} && places.parameterCount() == 18));
    CHECK(bytesOf(places, 4) == 4 * 4 * 18);
    LayerDescription attention = layerOf(LayerKind::kAttention, {6, 4}, {6, 4});
    attention.heads = 2;
    const BuiltLayer heads = builtLayer(attention, true);
    CHECK(rowsOf(heads) == std::vector<std::int64_t>{12, 12, 4, 4});
    CHECK(heads.parameterCount() == 12 * 4 + 12 + 4 * 4 + 4);
    // Both projections with their gradients, the weighted values, one number for each head and position, and the
    // gradient of queries, keys and values.
    CHECK(bytesOf(heads, 1) == 4 * (6 * 12 + 6 * 4 + 6 * 4 + 2 * 6 + 6 * 12 + 6 * 4 + 6 * 4));
}

TEST_CASE("images are reordered only where the order of their values differs") {
    CHECK(bytesOf(imageOrder({2, 3, 5}, "order"), 4) == 4 * 4 * (30 + 30));
    CHECK(bytesOf(imageOrder({2, 3, 1}, "order"), 4) == 4 * 4 * (6 + 6));
    CHECK(bytesOf(imageOrder({1, 3, 5}, "order"), 4) == 0);
    CHECK(bytesOf(imageOrder({2, 1, 1}, "order"), 4) == 0);
    CHECK(bytesOf(imageOrder({6}, "order"), 4) == 0);
    CHECK(imageOrder({2, 3, 5}, "order").cost == 30);
    CHECK(bytesOf(builtLayer(layerOf(LayerKind::kFlatten, {2, 3, 5}, {30}), true), 4) == 4 * 4 * (30 + 30));
    CHECK((usesPerWeight({2, 3, 5}) == 15 && usesPerWeight({7, 5}) == 7 && usesPerWeight({5}) == 1));
}

TEST_CASE("a convolution with its pooling keeps its output for a part of the batch only") {
    // 256 x 256 x 3 values are 768 KiB, two of which fit into 2 MiB; 8 x 8 x 3 values fit for 2,730 samples.
    const BuiltLayer wide = pooledConvolution(convolution({2, 256, 256}, 3), pooling({3, 256, 256}, 2), true);
    REQUIRE(wide.memory.size() == 6);
    CHECK(wide.memory[0].bytes(4) == 2 * 786'432);
    CHECK(wide.memory[0].bytes(1) == 786'432);
    CHECK(wide.memory[1].bytes(4) == 4 * 4 * 3 * 128 * 128);
    CHECK(wide.memory[2].bytes(4) == 4 * 3 * 128 * 128);
    CHECK(wide.memory[3].bytes(4) == 4 * 4 * 2 * 256 * 256);
    CHECK((wide.memory[4].bytes(4) == 4 * 54 && wide.memory[5].bytes(4) == 4 * 3));  // gradients of one part
    CHECK(wide.name == "Conv2d(2, 3, kernel_size=3, padding=1), ReLU(), MaxPool2d(2)");
    CHECK((wide.output == Shape{3, 128, 128} && wide.input == Shape{2, 256, 256}));
    CHECK(wide.cost == 57.0 * 65'536 + 2 * 65'536);
    const BuiltLayer small = pooledConvolution(convolution({2, 8, 8}, 3, false), pooling({3, 8, 8}, 2), false);
    CHECK(small.name == "Conv2d(2, 3, kernel_size=3, padding=1, bias=False), MaxPool2d(2)");
    CHECK(small.memory.size() == 5);
    CHECK(small.memory[0].bytes(10'000) == 2'730 * 768);
    // An image that is larger than the limit of a part is processed alone.
    const BuiltLayer large = pooledConvolution(convolution({2, 512, 512}, 3), pooling({3, 512, 512}, 2), true);
    CHECK(large.memory[0].bytes(4) == 4 * 3 * 512 * 512);
    // The ReLU is one operation for each value.
    const BuiltLayer withReLU = pooledConvolution(convolution({2, 8, 8}, 3, false), pooling({3, 8, 8}, 2), true);
    CHECK(withReLU.flops - small.flops == 3 * 64);
    CHECK(small.flops == convolution({2, 8, 8}, 3, false).flops() + pooling({3, 8, 8}, 2).flops());
}
