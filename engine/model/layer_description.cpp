// SPDX-License-Identifier: Apache-2.0
#include "model/layer_description.h"

#include <initializer_list>

#include "base/json/json.h"

namespace ringside {

namespace {

std::string numbers(std::initializer_list<std::int64_t> values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
}

// Returns the number of positions of a sequence, and 1 for other shapes.
std::int64_t positionsOf(const Shape& shape) {
    return shape.dimensions() == 2 ? shape[0] : 1;
}

// Returns the number of input values per position of a sequence, or the number of channels of an image.
std::int64_t inputsOf(const Shape& shape) {
    if (shape.dimensions() == 0) return 0;
    return shape.dimensions() == 2 ? shape[1] : shape[0];
}

using Layers = std::vector<LayerDescription>;

std::int64_t sum(const Layers& layers, std::int64_t (LayerDescription::*value)() const) {
    std::int64_t total = 0;
    for (const LayerDescription& layer : layers) total += (layer.*value)();
    return total;
}

std::string convolutionText(const LayerDescription& layer, std::int64_t inputs) {
    return "Conv2d(" + numbers({inputs, layer.outputs}) + ", kernel_size=" + std::to_string(layer.kernel) +
           (layer.stride != 1 ? ", stride=" + std::to_string(layer.stride) : "") +
           (layer.padding != 0 ? ", padding=" + std::to_string(layer.padding) : "") +
           (layer.bias ? "" : ", bias=False") + ")";
}

// Returns the number of floating-point operations of attention: those of the projections; 2 * T * T * width for the
// scores and the same number for the weighted values, where T is the number of positions; and 5 per attention weight
// for the softmax, where an exponential counts as one operation.
std::int64_t attentionFlops(const LayerDescription& layer) {
    const std::int64_t positions = positionsOf(layer.input);
    const std::int64_t width = inputsOf(layer.input);
    return 2 * positions * width * 4 * width + 4 * positions * positions * width +
           5 * layer.heads * positions * positions;
}

}  // namespace

std::string LayerDescription::text() const {
    const std::int64_t inputs = inputsOf(input);
    switch (kind) {
        case LayerKind::kLinear:
            return "Linear(" + numbers({inputs, outputs}) + ")";
        case LayerKind::kConv2d:
            return convolutionText(*this, inputs);
        case LayerKind::kMaxPool2d:
            return "MaxPool2d(" + std::to_string(kernel) + ")";
        case LayerKind::kGlobalAveragePool:
            return "AdaptiveAvgPool2d(1)";
        case LayerKind::kReLU:
            return "ReLU()";
        case LayerKind::kGelu:
            return "GELU()";
        case LayerKind::kLayerNorm:
            return "LayerNorm(" + std::to_string(inputs) + ")";
        case LayerKind::kBatchNorm2d:
            return "BatchNorm2d(" + std::to_string(inputs) + ")";
        case LayerKind::kDropout:
            return "Dropout(" + Json(probability).dump() + ")";
        case LayerKind::kEmbedding:
            return "Embedding(" + numbers({words, outputs}) + ")";
        case LayerKind::kPositionEmbedding:
            return "PositionEmbedding(" + numbers({positionsOf(input), inputs}) + ")";
        case LayerKind::kAttention:
            return "CausalSelfAttention(" + std::to_string(inputs) + ", heads=" + std::to_string(heads) + ")";
        case LayerKind::kResidual:
            return probability > 0 ? "Residual(skip=" + Json(probability).dump() + ")" : "Residual()";
        case LayerKind::kFlatten:
            break;
    }
    return "Flatten()";
}

std::int64_t LayerDescription::parameters() const {
    const std::int64_t inputs = inputsOf(input);
    switch (kind) {
        case LayerKind::kLinear:
            return (inputs + 1) * outputs;
        case LayerKind::kConv2d:
            return (inputs * kernel * kernel + (bias ? 1 : 0)) * outputs;
        case LayerKind::kLayerNorm:
        case LayerKind::kBatchNorm2d:
            return 2 * inputs;
        case LayerKind::kEmbedding:
            return words * outputs;
        case LayerKind::kPositionEmbedding:
            return input.count();
        case LayerKind::kAttention:
            return (inputs + 1) * 4 * inputs;
        case LayerKind::kResidual:
            return sum(body, &LayerDescription::parameters) + sum(shortcut, &LayerDescription::parameters);
        case LayerKind::kMaxPool2d:
        case LayerKind::kGlobalAveragePool:
        case LayerKind::kReLU:
        case LayerKind::kGelu:
        case LayerKind::kDropout:
        case LayerKind::kFlatten:
            break;
    }
    return 0;
}

std::int64_t LayerDescription::flops() const {
    switch (kind) {
        case LayerKind::kLinear:
            return 2 * input.count() * outputs;
        case LayerKind::kConv2d:
            return 2 * input[0] * kernel * kernel * output.count();
        case LayerKind::kMaxPool2d:
            return kernel * kernel * output.count();
        case LayerKind::kGlobalAveragePool:
            return input.count();
        case LayerKind::kReLU:
        case LayerKind::kDropout:
        case LayerKind::kPositionEmbedding:
            return output.count();
        case LayerKind::kGelu:  // 2 operations per value: the distribution function counts as one, and a multiplication
            return 2 * output.count();
        case LayerKind::kLayerNorm:  // 7 operations per value: mean, variance, scaling, weight and bias
            return 7 * output.count();
        case LayerKind::kBatchNorm2d:  // 6 operations per value: mean, variance, and one multiplication and one
                                       // addition for the rest
            return 6 * output.count();
        case LayerKind::kAttention:
            return attentionFlops(*this);
        case LayerKind::kResidual:
            return sum(body, &LayerDescription::flops) + sum(shortcut, &LayerDescription::flops) + output.count();
        case LayerKind::kEmbedding:
        case LayerKind::kFlatten:
            break;
    }
    return 0;
}

std::int64_t LayerDescription::activations() const {
    switch (kind) {
        case LayerKind::kReLU:  // no additional values are kept, because ReLU and Flatten reuse the input's memory
        case LayerKind::kFlatten:
            return 0;
        case LayerKind::kAttention:  // kept values: queries, keys, values, attention weights, weighted values and the
                                     // output
            return 5 * input.count() + heads * positionsOf(input) * positionsOf(input);
        case LayerKind::kResidual:  // no additional values are kept, because the sum overwrites the body's output
            return sum(body, &LayerDescription::activations) + sum(shortcut, &LayerDescription::activations);
        case LayerKind::kLinear:
        case LayerKind::kConv2d:
        case LayerKind::kMaxPool2d:
        case LayerKind::kGlobalAveragePool:
        case LayerKind::kGelu:
        case LayerKind::kLayerNorm:
        case LayerKind::kBatchNorm2d:
        case LayerKind::kDropout:
        case LayerKind::kEmbedding:
        case LayerKind::kPositionEmbedding:
            break;
    }
    return output.count();
}

}  // namespace ringside
