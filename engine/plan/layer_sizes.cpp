// SPDX-License-Identifier: Apache-2.0
#include "plan/layer_sizes.h"

#include <algorithm>

namespace ringside {
namespace {

LayerAllocation floatsPerSample(std::int64_t count) {
    return {.perSample = count * kFloatBytes};
}

TensorSize matrix(std::int64_t rows, std::int64_t columns) {
    return {rows, rows * columns};
}

TensorSize vectorOf(std::int64_t values) {
    return {values, values};
}

std::int64_t widthOf(const Shape& shape) {
    return shape.dimensions() == 2 ? shape[1] : shape[0];
}

std::int64_t positionsOf(const Shape& shape) {
    return shape.dimensions() == 2 ? shape[0] : 1;
}

void addLinear(BuiltLayer& built, std::int64_t positions, std::int64_t inputs, std::int64_t outputs) {
    built.parameters.push_back(matrix(outputs, inputs));
    built.parameters.push_back(vectorOf(outputs));
    built.memory.push_back(floatsPerSample(positions * outputs));
    built.memory.push_back(floatsPerSample(positions * inputs));
}

void addConvolutionParameters(BuiltLayer& built, const LayerDescription& layer) {
    built.parameters.push_back(matrix(layer.outputs, layer.input[0] * layer.kernel * layer.kernel));
    if (layer.bias) built.parameters.push_back(vectorOf(layer.outputs));
}

void addAttention(BuiltLayer& built, const LayerDescription& layer) {
    const std::int64_t positions = positionsOf(layer.input);
    const std::int64_t width = widthOf(layer.input);
    addLinear(built, positions, width, 3 * width);
    built.memory.push_back(floatsPerSample(positions * width));
    built.memory.push_back(floatsPerSample(layer.heads * positions));
    built.memory.push_back(floatsPerSample(positions * 3 * width));
    addLinear(built, positions, width, width);
}

void addNorm(BuiltLayer& built, const LayerDescription& layer) {
    const std::int64_t count = layer.input.count();
    const std::int64_t width = widthOf(layer.input);
    built.parameters = {vectorOf(width), vectorOf(width)};
    built.memory.push_back(floatsPerSample(count));
    if (layer.kind == LayerKind::kLayerNorm) {
        built.memory.push_back(floatsPerSample(2 * positionsOf(layer.input)));
    } else {
        for (const std::int64_t values : {2, 2, 1, 1}) built.memory.push_back({.fixed = values * width * kFloatBytes});
        built.bufferBytes = 2 * width * kFloatBytes + 8;  // running mean and variance, and the batch counter
        built.buffers = 3;
    }
    built.memory.push_back(floatsPerSample(count));
}

// Adds memory for a layer's output and for the gradient of its input.
void addBothWays(BuiltLayer& built, const LayerDescription& layer) {
    built.memory.push_back(floatsPerSample(layer.output.count()));
    built.memory.push_back(floatsPerSample(layer.input.count()));
}

// Adds memory for a copy of a layer's input and of its gradient in another order of values. Without channels or pixels
// to reorder, channels-first and channels-last are the same order, and no copy is needed.
void addImageOrder(BuiltLayer& built, const Shape& input) {
    if (input.dimensions() == 3 && input[0] != 1 && input[1] * input[2] != 1)
        built.memory = {floatsPerSample(input.count()), floatsPerSample(input.count())};
}

void addSizes(BuiltLayer& built, const LayerDescription& layer, bool inPlace) {
    switch (layer.kind) {
        case LayerKind::kLinear:
            return addLinear(built, positionsOf(layer.input), widthOf(layer.input), layer.outputs);
        case LayerKind::kConv2d:
            addConvolutionParameters(built, layer);
            return addBothWays(built, layer);
        case LayerKind::kMaxPool2d:
            built.memory.push_back(floatsPerSample(layer.output.count()));
            // Index of each maximum within its pooling window, one byte each.
            built.memory.push_back({.perSample = layer.output.count()});
            built.memory.push_back(floatsPerSample(layer.input.count()));
            return;
        case LayerKind::kGlobalAveragePool:
        case LayerKind::kGelu:
            return addBothWays(built, layer);
        case LayerKind::kDropout:
            if (layer.probability <= 0) return;
            built.ownBytes = 8;  // the layer keeps the key of its random mask
            return addBothWays(built, layer);
        case LayerKind::kReLU:
            if (!inPlace) built.memory.push_back(floatsPerSample(layer.input.count()));
            return;
        case LayerKind::kLayerNorm:
        case LayerKind::kBatchNorm2d:
            return addNorm(built, layer);
        case LayerKind::kEmbedding:
            built.parameters.push_back(matrix(layer.words, layer.outputs));
            built.memory.push_back(floatsPerSample(layer.output.count()));
            return;
        case LayerKind::kPositionEmbedding:
            built.parameters.push_back(matrix(layer.input[0], layer.input[1]));
            built.memory.push_back(floatsPerSample(layer.output.count()));
            return;
        case LayerKind::kAttention:
            return addAttention(built, layer);
        case LayerKind::kFlatten:
            return addImageOrder(built, layer.input);
        case LayerKind::kResidual:
            return;
    }
}

void finish(BuiltLayer& built) {
    if (!built.parameters.empty()) built.parametersOfUnits = {built.parameters.size()};
    built.cost = static_cast<double>(built.parameterCount() * usesPerWeight(built.input) + built.input.count());
}

}  // namespace

std::int64_t usesPerWeight(const Shape& input) {
    if (input.dimensions() == 3) return input[1] * input[2];
    return positionsOf(input);
}

BuiltLayer builtLayer(const LayerDescription& layer, bool inPlace) {
    BuiltLayer built{.name = layer.text(), .parameterPrefix = layer.name};
    built.input = layer.input;
    built.output = layer.output;
    built.flops = layer.flops();
    addSizes(built, layer, inPlace);
    finish(built);
    return built;
}

BuiltLayer pooledConvolution(const LayerDescription& convolution, const LayerDescription& pool, bool relu) {
    BuiltLayer built{.kind = BuiltKind::kPooledConvolution,
                     .layer = convolution,
                     .pooling = pool,
                     .afterReLU = relu,
                     .name = convolution.text() + (relu ? ", ReLU(), " : ", ") + pool.text(),
                     .parameterPrefix = convolution.name};
    built.input = convolution.input;
    built.output = pool.output;
    built.flops = convolution.flops() + pool.flops() + (relu ? convolution.output.count() : 0);
    addConvolutionParameters(built, convolution);
    const std::int64_t image = convolution.output.count() * kFloatBytes;
    built.memory.push_back({.perSample = image, .maxSamples = std::max<std::int64_t>(1, kPooledPartBytes / image)});
    built.memory.push_back(floatsPerSample(pool.output.count()));
    built.memory.push_back({.perSample = pool.output.count()});
    built.memory.push_back(floatsPerSample(convolution.input.count()));
    for (const TensorSize& one : built.parameters) built.memory.push_back({.fixed = one.values * kFloatBytes});
    finish(built);
    return built;
}

BuiltLayer imageOrder(const Shape& input, const std::string& name) {
    BuiltLayer built{.kind = BuiltKind::kToImages, .name = name};
    built.input = built.output = input;
    addImageOrder(built, input);
    built.cost = static_cast<double>(input.count());
    return built;
}

}  // namespace ringside
