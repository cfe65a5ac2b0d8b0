// SPDX-License-Identifier: Apache-2.0
#include "plan/built_layers.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <span>
#include <utility>

#include "plan/layer_sizes.h"

namespace ringside {
namespace {

using Descriptions = std::vector<LayerDescription>;

// Builds the layers of a model in order, and numbers its dropout layers and its residuals.
class Builder {
  public:
    Builder(bool images, const BuildChoice& choice)
        : m_images(images),
          m_layout(images && choice.channelBlocks ? ImageLayout::kChannelBlocks : ImageLayout::kChannelsLast),
          m_unit(choice.unit) {}

    // Returns the layers that the engine builds for described layers. inBody: true for the body or the shortcut of a
    // residual, whose first layer must not overwrite its input, because the residual still needs the input.
    std::vector<BuiltLayer> all(std::span<const LayerDescription> layers, bool inBody) {
        std::vector<BuiltLayer> built;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const LayerDescription& layer = layers[i];
            if (const std::size_t pool = pooledWith(layers.subspan(i))) {
                built.push_back(pooledConvolution(layer, layers[i + pool], pool == 2));
                built.back().layout = m_layout;
                markUnit(built.back(), false, inBody);
                i += pool;
                continue;
            }
            const bool poolsNext = i + 1 < layers.size() && layers[i + 1].kind == LayerKind::kMaxPool2d;
            if (layer.kind == LayerKind::kReLU && poolsNext) continue;  // the pooling applies this ReLU
            if (layer.kind == LayerKind::kFlatten && !m_images && layer.input.dimensions() != 2) continue;
            const bool afterReLU = i > 0 && layers[i - 1].kind == LayerKind::kReLU;
            built.push_back(one(layer, afterReLU, !inBody || i > 0, inBody));
        }
        return built;
    }

  private:
    // Returns the index of the pooling that is built into the convolution layers[0]: 1, or 2 if a ReLU is in between.
    // Returns 0 if no pooling is built in.
    std::size_t pooledWith(std::span<const LayerDescription> layers) const {
        if (m_layout != ImageLayout::kChannelBlocks || layers.front().kind != LayerKind::kConv2d) return 0;
        const std::size_t pool = layers.size() > 1 && layers[1].kind == LayerKind::kReLU ? 2 : 1;
        return pool < layers.size() && layers[pool].kind == LayerKind::kMaxPool2d ? pool : 0;
    }

    BuiltLayer one(const LayerDescription& layer, bool afterReLU, bool inPlace, bool inBody) {
        BuiltLayer built = layer.kind == LayerKind::kResidual ? residual(layer) : builtLayer(layer, inPlace);
        built.layer = layer;
        built.layout = m_layout;
        built.afterReLU = afterReLU && layer.kind == LayerKind::kMaxPool2d;
        built.inPlace = inPlace;
        if (layer.kind == LayerKind::kDropout) built.draw = m_dropouts++;
        markUnit(built, layer.kind == LayerKind::kResidual && layer.probability <= 0, inBody);
        return built;
    }

    // Sets BuiltLayer::isUnit. If fsdp.unit is layer, each layer with parameters is a unit. If fsdp.unit is block, each
    // residual block is a unit, and each layer with parameters outside residual blocks. A residual block that ranks
    // skip at random is always one unit, because all ranks have to gather and reduce it.
    void markUnit(BuiltLayer& built, bool isComposite, bool inBody) const {
        const bool wanted = m_unit == ShardUnit::kLayer ? !isComposite : m_unit == ShardUnit::kBlock && !inBody;
        built.isUnit = wanted && m_within == 0 && !built.parameters.empty();
    }

    BuiltLayer residual(const LayerDescription& layer) {
        BuiltLayer block{.name = layer.text(), .parameterPrefix = layer.name, .isBlock = true};
        block.input = layer.input;
        block.output = layer.output;
        block.flops = layer.flops();
        const int skipped = layer.probability > 0 ? 1 : 0;
        m_within += skipped;
        block.body = all(layer.body, true);
        block.draw = m_residuals++;
        block.shortcut = all(layer.shortcut, true);
        m_within -= skipped;
        for (const auto* part : {&block.body, &block.shortcut})
            for (const BuiltLayer& inner : *part) addInner(block, inner);
        if (layer.probability > 0 && !block.parameters.empty()) block.parametersOfUnits = {block.parameters.size()};
        block.cost = static_cast<double>(block.parameterCount() * usesPerWeight(block.input) + block.input.count());
        return block;
    }

    static void addInner(BuiltLayer& block, const BuiltLayer& inner) {
        block.parameters.insert(block.parameters.end(), inner.parameters.begin(), inner.parameters.end());
        block.parametersOfUnits.insert(block.parametersOfUnits.end(), inner.parametersOfUnits.begin(),
                                       inner.parametersOfUnits.end());
        block.memory.insert(block.memory.end(), inner.memory.begin(), inner.memory.end());
        block.bufferBytes += inner.bufferBytes;
        block.buffers += inner.buffers;
        block.ownBytes += inner.ownBytes;
    }

    bool m_images;
    ImageLayout m_layout;
    const ShardUnit m_unit;
    int m_within = 0;  // current nesting depth of residuals that ranks skip at random
    std::uint64_t m_dropouts = 0;
    std::uint64_t m_residuals = 0;
};

BuiltLayer group(std::vector<BuiltLayer> layers) {
    BuiltLayer one{.kind = BuiltKind::kGroup};
    one.name = layers.size() == 1 ? layers.front().name : layers.front().name + " ...";
    one.parameterPrefix = layers.front().parameterPrefix;
    one.input = layers.front().input;
    one.output = layers.back().output;
    one.isBlock = layers.front().isBlock;
    for (const BuiltLayer& layer : layers) {
        one.parameters.insert(one.parameters.end(), layer.parameters.begin(), layer.parameters.end());
        one.parametersOfUnits.insert(one.parametersOfUnits.end(), layer.parametersOfUnits.begin(),
                                     layer.parametersOfUnits.end());
        one.bufferBytes += layer.bufferBytes;
        one.buffers += layer.buffers;
        one.ownBytes += layer.ownBytes;
        one.flops += layer.flops;
    }
    for (const Shape& shape : {one.output, one.input}) one.memory.push_back({.perSample = shape.count() * 4});
    const auto first = std::ranges::find_if(layers, [](const BuiltLayer& each) { return !each.parameters.empty(); });
    const bool takesWhole = first != layers.end() && first->input.dimensions() < 3 && one.input.dimensions() == 3;
    one.cost =
        static_cast<double>(one.parameterCount() * (takesWhole ? 1 : usesPerWeight(one.input)) + one.input.count());
    one.group = std::move(layers);
    return one;
}

// Groups layers whose activations are computed again in the backward pass (training.recompute). With the value all, n
// layers form about sqrt(n) groups of sqrt(n) layers each (Chen et al. 2016). With the value blocks, each residual
// block is a group.
std::vector<BuiltLayer> recomputed(std::vector<BuiltLayer> layers, Recompute which) {
    std::size_t atOnce = 1;
    switch (which) {
        case Recompute::kNone:
            return layers;
        case Recompute::kBlocks:
            break;
        case Recompute::kAll:
            atOnce = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers.size()))));
            break;
    }
    std::vector<BuiltLayer> result;
    std::vector<BuiltLayer> open;
    for (BuiltLayer& layer : layers) {
        if (which == Recompute::kBlocks && !layer.isBlock) {
            result.push_back(std::move(layer));
            continue;
        }
        open.push_back(std::move(layer));
        if (open.size() >= atOnce) result.push_back(group(std::exchange(open, {})));
    }
    if (!open.empty()) result.push_back(group(std::move(open)));
    return result;
}

// True if this convolution is faster on images that are stored in blocks of channels than on channels-last images.
bool isWide(const LayerDescription& layer) {
    const Shape& in = layer.input;
    return layer.kernel == 3 && layer.stride == 1 && layer.padding == 1 && std::min(in[0], layer.outputs) >= 32 &&
           std::min(in[1], in[2]) >= 8;
}

// True if all layers whose inputs are images can work on images that are stored in blocks of channels. Appends the
// convolutions among these layers to `convolutions`.
bool takesBlocks(const Descriptions& layers, Descriptions& convolutions) {
    return std::ranges::all_of(layers, [&](const LayerDescription& layer) {
        if (layer.input.dimensions() != 3) return true;
        switch (layer.kind) {
            case LayerKind::kConv2d:
                convolutions.push_back(layer);
                return layer.outputs % kChannelBlock == 0;
            case LayerKind::kResidual:
                return takesBlocks(layer.body, convolutions) && takesBlocks(layer.shortcut, convolutions);
            case LayerKind::kReLU:
            case LayerKind::kGelu:
            case LayerKind::kMaxPool2d:
            case LayerKind::kBatchNorm2d:
            case LayerKind::kGlobalAveragePool:
            case LayerKind::kFlatten:
                return true;
            case LayerKind::kLinear:
            case LayerKind::kLayerNorm:
            case LayerKind::kDropout:
            case LayerKind::kEmbedding:
            case LayerKind::kPositionEmbedding:
            case LayerKind::kAttention:
                break;
        }
        return false;
    });
}

// True if the host has AVX-512BW, according to /proc/cpuinfo. The file is read only once because the flags never
// change.
bool hasWideVectors() {
    static const bool has = [] {
        std::ifstream file("/proc/cpuinfo");
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("flags")) return line.find("avx512bw") != std::string::npos;
        return false;
    }();
    return has;
}

// Size of the memory for the activations inside groups of layers. All groups share this memory, because only one group
// uses it at a time.
class SharedBytes {
  public:
    void allocate(std::int64_t bytes) {
        while (m_next < m_blocks.size() && m_blocks[m_next] < bytes) ++m_next;
        if (m_next == m_blocks.size()) m_blocks.push_back(bytes);
        ++m_next;
    }
    void reset() { m_next = 0; }
    std::int64_t bytes() const { return std::accumulate(m_blocks.begin(), m_blocks.end(), std::int64_t{0}); }

  private:
    std::vector<std::int64_t> m_blocks;
    std::size_t m_next = 0;
};

}  // namespace

double backwardPerForward(Recompute which) {
    switch (which) {
        case Recompute::kNone:
            return 2;
        case Recompute::kBlocks:
        case Recompute::kAll:
            return 3;
    }
    return 2;
}

std::int64_t BuiltLayer::parameterCount() const {
    std::int64_t count = 0;
    for (const TensorSize& one : parameters) count += one.values;
    return count;
}

std::string BuiltLayer::describe() const {
    if (kind == BuiltKind::kToImages) return "";
    if (kind == BuiltKind::kGroup) return ringside::describe(group);
    if (kind == BuiltKind::kPooledConvolution) return name;
    if (layer.kind != LayerKind::kResidual) return afterReLU ? "ReLU(), " + name : name;
    return "Residual(" + ringside::describe(body) + (shortcut.empty() ? "" : "; " + ringside::describe(shortcut)) + ")";
}

std::string describe(const std::vector<BuiltLayer>& layers) {
    std::string text;
    for (const BuiltLayer& layer : layers) {
        const std::string one = layer.describe();
        text += (text.empty() || one.empty() ? "" : ", ") + one;
    }
    return text;
}

std::vector<LayerDescription> convolutionsForBlocks(const ModelDescription& model) {
    Descriptions convolutions;
    const bool can = model.layers.front().kind == LayerKind::kConv2d && takesBlocks(model.layers, convolutions) &&
                     std::ranges::any_of(convolutions, isWide);
    return can ? convolutions : Descriptions{};
}

bool takesChannelBlocks(const ModelDescription& model) {
    return hasWideVectors() && !convolutionsForBlocks(model).empty();
}

std::vector<BuiltLayer> buildLayers(const ModelDescription& model, const BuildChoice& choice) {
    const LayerDescription& first = model.layers.front();
    const bool images = first.input.dimensions() == 3 && first.kind != LayerKind::kFlatten;
    const bool asTheyCome = choice.channelBlocks && first.input[0] % kChannelBlock != 0;
    std::vector<BuiltLayer> layers;
    if (images && !asTheyCome) {
        layers.push_back(imageOrder(first.input, "channels last"));
        layers.back().layout = choice.channelBlocks ? ImageLayout::kChannelBlocks : ImageLayout::kChannelsLast;
    }
    for (BuiltLayer& layer : Builder(images, choice).all(model.layers, false)) layers.push_back(std::move(layer));
    return recomputed(std::move(layers), choice.recompute);
}

std::int64_t activationBytes(const std::vector<BuiltLayer>& layers, std::size_t first, std::size_t last,
                             std::int64_t samples) {
    SharedBytes memory;
    std::int64_t bytes = 0;
    for (std::size_t i = first; i < last; ++i) {
        memory.reset();
        for (const BuiltLayer& inner : layers[i].group)
            for (const LayerAllocation& one : inner.memory) memory.allocate(one.bytes(samples));
        for (const LayerAllocation& one : layers[i].memory) bytes += one.bytes(samples);
        bytes += layers[i].ownBytes;
    }
    return bytes + memory.bytes();
}

}  // namespace ringside
