// SPDX-License-Identifier: Apache-2.0
#include "nn/model_factory.h"

#include "model/model_description.h"
#include "nn/conv2d.h"
#include "nn/gelu.h"
#include "nn/image_order.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/max_pool2d.h"
#include "nn/relu.h"

namespace ringside {

namespace {

using Layers = std::vector<std::unique_ptr<Layer>>;

std::unique_ptr<Layer> makeConvolution(const LayerDescription& layer) {
    const Shape& in = layer.input;
    return std::make_unique<Conv2d>(
        ConvolutionSpec{in[0], in[1], in[2], layer.outputs, layer.kernel, layer.stride, layer.padding},
        layer.name + ".");
}

std::unique_ptr<Layer> makeLayer(const LayerDescription& layer, bool afterReLU) {
    const Shape& in = layer.input;
    switch (layer.kind) {
        case LayerKind::kLinear:
            return std::make_unique<Linear>(in[0], layer.outputs, layer.name + ".");
        case LayerKind::kConv2d:
            return makeConvolution(layer);
        case LayerKind::kMaxPool2d:
            return std::make_unique<MaxPool2d>(MaxPoolSpec{in[0], in[1], in[2], layer.kernel, afterReLU});
        case LayerKind::kReLU:
            return std::make_unique<ReLU>();
        case LayerKind::kGelu:
            return std::make_unique<Gelu>();
        case LayerKind::kLayerNorm:
            return std::make_unique<LayerNorm>(in[0], layer.name + ".");
        case LayerKind::kFlatten:
            break;
    }
    return std::make_unique<ImageOrder>(ImageOrder::To::kFlat);
}

// Images come channels-first; a model that only flattens them takes them as they are.
bool wantsChannelsLast(const ModelDescription& model) {
    return model.layers.front().input.dimensions() == 3 && model.layers.front().kind != LayerKind::kFlatten;
}

Layers makeLayers(const ModelDescription& model) {
    Layers layers;
    const bool images = wantsChannelsLast(model);
    if (images) layers.push_back(std::make_unique<ImageOrder>(ImageOrder::To::kChannelsLast));
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const LayerDescription& layer = model.layers[i];
        const bool poolsNext = i + 1 < model.layers.size() && model.layers[i + 1].kind == LayerKind::kMaxPool2d;
        if (layer.kind == LayerKind::kReLU && poolsNext) continue;  // done by the pooling
        if (layer.kind == LayerKind::kFlatten && !images) continue;
        layers.push_back(makeLayer(layer, i > 0 && model.layers[i - 1].kind == LayerKind::kReLU));
    }
    return layers;
}

}  // namespace

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs,
                                         Backend& backend) {
    const Result<ModelDescription> description = describeModel(config, sample, outputs);
    if (!description) return description.problem();
    return std::make_unique<Model>(backend, makeLayers(description.value()));
}

}  // namespace ringside
