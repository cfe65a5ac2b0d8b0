// SPDX-License-Identifier: Apache-2.0
#include "nn/models/model_factory.h"

#include <algorithm>
#include <cmath>
#include <span>
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

using Descriptions = std::vector<LayerDescription>;

// Layers from their descriptions; dropout layers are numbered through the whole model.
class Maker {
  public:
    Maker(bool images, ImageLayout layout, ModelBuild& build) : m_images(images), m_layout(layout), m_build(build) {}

    // inBody: what comes in is still needed as it is, by the shortcut.
    Layers makeAll(const Descriptions& descriptions, bool inBody);

  private:
    std::unique_ptr<Layer> make(const LayerDescription& layer, bool afterReLU, bool inPlace);
    std::unique_ptr<Layer> asUnit(std::unique_ptr<Layer> layer, bool isComposite, bool inBody);

    bool m_images;
    ImageLayout m_layout;
    ModelBuild& m_build;
    int m_within = 0;  // residuals that ranks leave out at random
    std::uint64_t m_dropouts = 0;
    std::uint64_t m_residuals = 0;
};

ConvolutionSpec convolutionOf(const LayerDescription& layer, ImageLayout layout) {
    const Shape& in = layer.input;
    return {in[0], in[1], in[2], layer.outputs, layer.kernel, layer.stride, layer.padding, layer.bias, layout};
}

MaxPoolSpec poolOf(const LayerDescription& layer, bool afterReLU, ImageLayout layout) {
    const Shape& in = layer.input;
    return {in[0], in[1], in[2], layer.kernel, afterReLU, layout};
}

std::unique_ptr<Layer> makeAttention(const LayerDescription& layer) {
    const Shape& in = layer.input;
    return std::make_unique<Attention>(AttentionSpec{in[0], layer.heads, in[1] / layer.heads}, layer.name + ".");
}

std::unique_ptr<Layer> Maker::make(const LayerDescription& layer, bool afterReLU, bool inPlace) {
    const Shape& in = layer.input;
    const std::int64_t values = in.dimensions() == 2 ? in[1] : in[0];
    const std::string prefix = layer.name + ".";
    switch (layer.kind) {
        case LayerKind::kLinear:
            return std::make_unique<Linear>(values, layer.outputs, prefix);
        case LayerKind::kConv2d:
            return std::make_unique<Conv2d>(convolutionOf(layer, m_layout), prefix);
        case LayerKind::kMaxPool2d:
            return std::make_unique<MaxPool2d>(poolOf(layer, afterReLU, m_layout));
        case LayerKind::kGlobalAveragePool:
            return std::make_unique<GlobalAveragePool>(m_layout);
        case LayerKind::kReLU:
            return std::make_unique<ReLU>(inPlace);
        case LayerKind::kGelu:
            return std::make_unique<Gelu>();
        case LayerKind::kLayerNorm:
            return std::make_unique<LayerNorm>(values, prefix);
        case LayerKind::kBatchNorm2d:
            return std::make_unique<BatchNorm2d>(in[0], prefix, m_layout);
        case LayerKind::kDropout:
            return std::make_unique<Dropout>(layer.probability, m_dropouts++);
        case LayerKind::kEmbedding:
            return std::make_unique<Embedding>(layer.words, layer.outputs, prefix);
        case LayerKind::kPositionEmbedding:
            return std::make_unique<PositionEmbedding>(in[0], in[1], prefix);
        case LayerKind::kAttention:
            return makeAttention(layer);
        case LayerKind::kResidual: {
            Layers body = makeAll(layer.body, true);
            const SkipRule skip{layer.probability, m_residuals++};
            return std::make_unique<Residual>(std::move(body), makeAll(layer.shortcut, true), skip);
        }
        case LayerKind::kFlatten:
            break;
    }
    return std::make_unique<ImageOrder>(ImageOrder::To::kFlat, m_layout);
}

// How many of these layers, from the first on, make a convolution with its pooling, 0 for none. Blocks of channels are
// chosen for CPUs, which are those that gain by it.
std::size_t pooledConvolution(std::span<const LayerDescription> layers, ImageLayout layout) {
    if (layout != ImageLayout::kChannelBlocks || layers.front().kind != LayerKind::kConv2d) return 0;
    const std::size_t pool = layers.size() > 1 && layers[1].kind == LayerKind::kReLU ? 2 : 1;
    return pool < layers.size() && layers[pool].kind == LayerKind::kMaxPool2d ? pool + 1 : 0;
}

Layers Maker::makeAll(const Descriptions& descriptions, bool inBody) {
    Layers layers;
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
        const LayerDescription& layer = descriptions[i];
        if (const std::size_t count = pooledConvolution(std::span(descriptions).subspan(i), m_layout)) {
            i += count - 1;
            auto pooled = std::make_unique<PooledConv2d>(
                convolutionOf(layer, m_layout), poolOf(descriptions[i], count == 3, m_layout), layer.name + ".");
            layers.push_back(asUnit(std::move(pooled), false, inBody));
            continue;
        }
        const bool poolsNext = i + 1 < descriptions.size() && descriptions[i + 1].kind == LayerKind::kMaxPool2d;
        if (layer.kind == LayerKind::kReLU && poolsNext) continue;  // done by the pooling
        if (layer.kind == LayerKind::kFlatten && !m_images && layer.input.dimensions() != 2) continue;
        const bool afterReLU = i > 0 && descriptions[i - 1].kind == LayerKind::kReLU;
        const bool isLeftOut = layer.kind == LayerKind::kResidual && layer.probability > 0;
        m_within += isLeftOut ? 1 : 0;
        std::unique_ptr<Layer> made = make(layer, afterReLU, !inBody || i > 0);
        m_within -= isLeftOut ? 1 : 0;
        const bool isComposite = layer.kind == LayerKind::kResidual && !isLeftOut;
        layers.push_back(asUnit(std::move(made), isComposite, inBody));
    }
    return layers;
}

// A layer with parameters by itself, or (unit block) whatever is not inside of a block. What some ranks leave out is
// gathered and reduced as one, by all ranks.
std::unique_ptr<Layer> Maker::asUnit(std::unique_ptr<Layer> layer, bool isComposite, bool inBody) {
    const bool wanted = m_build.unit == "layer" ? !isComposite : m_build.unit == "block" && !inBody;
    if (!wanted || m_within > 0 || layer->parameters().empty()) return layer;
    auto unit = std::make_unique<Unit>(std::move(layer));
    m_build.units.push_back(unit.get());
    return unit;
}

// Groups of as many layers as there are groups, or each block by itself.
Layers recomputed(Layers layers, const std::string& which, Backend& backend) {
    if (which == "none") return layers;
    const auto memory = std::make_shared<TakenInTurns>(backend);
    const auto wrapped = [&memory](Layers group) { return std::make_unique<Recomputed>(std::move(group), memory); };
    const auto atOnce = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers.size()))));
    Layers result;
    Layers group;
    for (auto& layer : layers) {
        if (which == "blocks" && !layer->isBlock()) {
            result.push_back(std::move(layer));
            continue;
        }
        group.push_back(std::move(layer));
        if (which == "all" && group.size() < atOnce) continue;
        result.push_back(wrapped(std::exchange(group, {})));
    }
    if (!group.empty()) result.push_back(wrapped(std::move(group)));
    return result;
}

// Images come channels-first; a model that only flattens them takes them as they are.
bool worksOnImages(const ModelDescription& model) {
    return model.layers.front().input.dimensions() == 3 && model.layers.front().kind != LayerKind::kFlatten;
}

// Whether all layers over images can work on blocks of channels; appends the convolutions among them.
bool takesBlocks(const Descriptions& layers, std::vector<ConvolutionSpec>& convolutions) {
    const auto takes = [&convolutions](const LayerDescription& layer) {
        switch (layer.kind) {
            case LayerKind::kConv2d:
                convolutions.push_back(convolutionOf(layer, ImageLayout::kChannelBlocks));
                return true;
            case LayerKind::kResidual:
                return takesBlocks(layer.body, convolutions) && takesBlocks(layer.shortcut, convolutions);
            case LayerKind::kReLU:
            case LayerKind::kGelu:
            case LayerKind::kMaxPool2d:
            case LayerKind::kBatchNorm2d:
            case LayerKind::kGlobalAveragePool:
            case LayerKind::kFlatten:
                return true;
            default:
                return false;
        }
    };
    return std::all_of(layers.begin(), layers.end(),
                       [&](const LayerDescription& layer) { return layer.input.dimensions() != 3 || takes(layer); });
}

// One for the whole model: reordering between two layers costs more than the faster convolution gains.
ImageLayout layoutFor(const ModelDescription& model, const Backend& backend) {
    std::vector<ConvolutionSpec> convolutions;
    const bool blocks = model.layers.front().kind == LayerKind::kConv2d && takesBlocks(model.layers, convolutions) &&
                        backend.prefersChannelBlocks(convolutions);
    return blocks ? ImageLayout::kChannelBlocks : ImageLayout::kChannelsLast;
}

Layers makeLayers(const ModelDescription& model, Backend& backend, ModelBuild& build) {
    const bool images = worksOnImages(model);
    const ImageLayout layout = images ? layoutFor(model, backend) : ImageLayout::kChannelsLast;
    const bool asTheyCome = layout == ImageLayout::kChannelBlocks && model.layers.front().input[0] % kChannelBlock != 0;
    Layers layers;
    if (images && !asTheyCome) layers.push_back(std::make_unique<ImageOrder>(ImageOrder::To::kImages, layout));
    for (auto& layer : Maker(images, layout, build).makeAll(model.layers, false)) layers.push_back(std::move(layer));
    return recomputed(std::move(layers), build.recompute, backend);
}

}  // namespace

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelTask& task, Backend& backend) {
    ModelBuild plain;
    return makeModel(config, task, backend, plain);
}

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelTask& task, Backend& backend,
                                         ModelBuild& build) {
    const Result<ModelDescription> description = describeModel(config, task);
    if (!description) return description.problem();
    return std::make_unique<Model>(backend, makeLayers(description.value(), backend, build));
}

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs,
                                         Backend& backend) {
    return makeModel(config, {.sample = sample, .outputs = outputs}, backend);
}

}  // namespace ringside
