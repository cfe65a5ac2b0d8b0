// SPDX-License-Identifier: Apache-2.0
#include "nn/models/model_factory.h"

#include <algorithm>
#include <utility>

#include "backend/backend.h"
#include "nn/blocks/attention.h"
#include "nn/blocks/recomputed.h"
#include "nn/blocks/residual.h"
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

namespace ringside {

namespace {

ConvolutionSpec convolutionOf(const LayerDescription& layer, ImageLayout layout) {
    const Shape& in = layer.input;
    return {in[0], in[1], in[2], layer.outputs, layer.kernel, layer.stride, layer.padding, layer.bias, layout};
}

MaxPoolSpec poolOf(const LayerDescription& layer, const BuiltLayer& built) {
    const Shape& in = layer.input;
    return {in[0], in[1], in[2], layer.kernel, built.afterReLU, built.layout};
}

std::unique_ptr<Layer> makeAttention(const LayerDescription& layer) {
    const Shape& in = layer.input;
    return std::make_unique<Attention>(AttentionSpec{in[0], layer.heads, in[1] / layer.heads}, layer.name + ".");
}

// Makes one Layer of each entry of plan/built_layers.h.
class LayerFactory {
  public:
    LayerFactory(Backend& backend, std::vector<Unit*>& units)
        : m_groupMemory(std::make_shared<ReusedMemory>(backend)), m_units(units) {}

    Layers makeAll(const std::vector<BuiltLayer>& plan) {
        Layers layers;
        for (const BuiltLayer& built : plan) layers.push_back({inUnit(make(built), built), built});
        return layers;
    }

  private:
    std::unique_ptr<Layer> inUnit(std::unique_ptr<Layer> layer, const BuiltLayer& built) {
        if (!built.isUnit) return layer;
        auto unit = std::make_unique<Unit>(std::move(layer));
        m_units.push_back(unit.get());
        return unit;
    }

    std::unique_ptr<Layer> make(const BuiltLayer& built) {
        switch (built.kind) {
            case BuiltKind::kDescribed:
                return makeDescribed(built);
            case BuiltKind::kPooledConvolution:
                return std::make_unique<PooledConv2d>(convolutionOf(built.layer, built.layout),
                                                      poolOf(built.pooling, built), built.layer.name + ".");
            case BuiltKind::kToImages:
                return std::make_unique<ImageOrder>(ImageOrder::To::kImages, built.layout);
            case BuiltKind::kGroup:
                break;
        }
        return std::make_unique<Recomputed>(makeAll(built.group), m_groupMemory);
    }

    std::unique_ptr<Layer> makeDescribed(const BuiltLayer& built) {
        const LayerDescription& layer = built.layer;
        const Shape& in = layer.input;
        const std::int64_t values = in.dimensions() == 2 ? in[1] : in[0];
        const std::string prefix = layer.name + ".";
        switch (layer.kind) {
            case LayerKind::kLinear:
                return std::make_unique<Linear>(values, layer.outputs, prefix);
            case LayerKind::kConv2d:
                return std::make_unique<Conv2d>(convolutionOf(layer, built.layout), prefix);
            case LayerKind::kMaxPool2d:
                return std::make_unique<MaxPool2d>(poolOf(layer, built));
            case LayerKind::kGlobalAveragePool:
                return std::make_unique<GlobalAveragePool>(built.layout);
            case LayerKind::kReLU:
                return std::make_unique<ReLU>(built.inPlace);
            case LayerKind::kGelu:
                return std::make_unique<Gelu>();
            case LayerKind::kLayerNorm:
                return std::make_unique<LayerNorm>(values, prefix);
            case LayerKind::kBatchNorm2d:
                return std::make_unique<BatchNorm2d>(in[0], prefix, built.layout);
            case LayerKind::kDropout:
                return std::make_unique<Dropout>(layer.probability, built.draw);
            case LayerKind::kEmbedding:
                return std::make_unique<Embedding>(layer.words, layer.outputs, prefix);
            case LayerKind::kPositionEmbedding:
                return std::make_unique<PositionEmbedding>(in[0], in[1], prefix);
            case LayerKind::kAttention:
                return makeAttention(layer);
            case LayerKind::kResidual:
                return makeResidual(built);
            case LayerKind::kFlatten:
                break;
        }
        return std::make_unique<ImageOrder>(ImageOrder::To::kFlat, built.layout);
    }

    std::unique_ptr<Layer> makeResidual(const BuiltLayer& built) {
        Layers body = makeAll(built.body);
        return std::make_unique<Residual>(std::move(body), makeAll(built.shortcut),
                                          SkipRule{built.layer.probability, built.draw});
    }

    std::shared_ptr<ReusedMemory> m_groupMemory;
    std::vector<Unit*>& m_units;
};

}  // namespace

bool takesChannelBlocks(const ModelDescription& model, const Backend& backend) {
    std::vector<ConvolutionSpec> convolutions;
    for (const LayerDescription& layer : convolutionsForBlocks(model))
        convolutions.push_back(convolutionOf(layer, ImageLayout::kChannelBlocks));
    return !convolutions.empty() && backend.prefersChannelBlocks(convolutions);
}

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelInterface& interface, Backend& backend) {
    ModelBuild plain;
    return makeModel(config, interface, backend, plain);
}

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelInterface& interface, Backend& backend,
                                         ModelBuild& build) {
    const Result<ModelDescription> description = describeModel(config, interface);
    if (!description) return description.problem();
    const BuildChoice choice{.recompute = build.recompute,
                             .channelBlocks = takesChannelBlocks(description.value(), backend),
                             .unit = build.unit};
    return makeModel(buildLayers(description.value(), choice), backend, build.units);
}

std::unique_ptr<Model> makeModel(const std::vector<BuiltLayer>& plan, Backend& backend, std::vector<Unit*>& units) {
    return std::make_unique<Model>(backend, LayerFactory(backend, units).makeAll(plan));
}

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs,
                                         Backend& backend) {
    return makeModel(config, {.sample = sample, .outputs = outputs}, backend);
}

}  // namespace ringside
