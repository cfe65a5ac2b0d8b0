// SPDX-License-Identifier: Apache-2.0
#include "cost/built_layers.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <span>
#include <utility>

#include "cost/layer_sizes.h"

namespace ringside {
namespace {

constexpr std::int64_t kChannelBlock = 16;
using Descriptions = std::vector<LayerDescription>;

class Builder {
  public:
    Builder(bool images, bool blocks) : m_images(images), m_blocks(blocks) {}

    std::vector<BuiltLayer> all(std::span<const LayerDescription> layers, bool inBody) const {
        std::vector<BuiltLayer> built;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const LayerDescription& layer = layers[i];
            if (const std::size_t pool = pooledWith(layers.subspan(i))) {
                built.push_back(pooledConvolution(layer, layers[i + pool], pool == 2));
                i += pool;
                continue;
            }
            const bool poolsNext = i + 1 < layers.size() && layers[i + 1].kind == LayerKind::kMaxPool2d;
            if (layer.kind == LayerKind::kReLU && poolsNext) continue;
            if (layer.kind == LayerKind::kFlatten && !m_images && layer.input.dimensions() != 2) continue;
            built.push_back(one(layer, !inBody || i > 0));
        }
        return built;
    }

  private:
    // How far behind a convolution the pooling is that is done with it; 0: none is.
    std::size_t pooledWith(std::span<const LayerDescription> layers) const {
        if (!m_blocks || layers.front().kind != LayerKind::kConv2d) return 0;
        const std::size_t pool = layers.size() > 1 && layers[1].kind == LayerKind::kReLU ? 2 : 1;
        return pool < layers.size() && layers[pool].kind == LayerKind::kMaxPool2d ? pool : 0;
    }

    BuiltLayer one(const LayerDescription& layer, bool inPlace) const {
        if (layer.kind == LayerKind::kFlatten) {
            BuiltLayer flat = imageOrder(layer.input, layer.text());
            flat.output = layer.output;
            return flat;
        }
        if (layer.kind != LayerKind::kResidual) return builtLayer(layer, inPlace);
        return residual(layer);
    }

    BuiltLayer residual(const LayerDescription& layer) const {
        BuiltLayer block{.name = layer.text(), .place = layer.name, .isBlock = true};
        block.input = layer.input;
        block.output = layer.output;
        block.flops = layer.flops();
        for (const Descriptions* part : {&layer.body, &layer.shortcut}) {
            for (BuiltLayer& inner : all(*part, true)) {
                block.parameters.insert(block.parameters.end(), inner.parameters.begin(), inner.parameters.end());
                block.parametersOfUnits.insert(block.parametersOfUnits.end(), inner.parametersOfUnits.begin(),
                                               inner.parametersOfUnits.end());
                block.memory.insert(block.memory.end(), inner.memory.begin(), inner.memory.end());
                block.bufferBytes += inner.bufferBytes;
                block.buffers += inner.buffers;
                block.ownBytes += inner.ownBytes;
            }
        }
        if (layer.probability > 0 && !block.parameters.empty()) block.parametersOfUnits = {block.parameters.size()};
        block.cost = static_cast<double>(block.parameterCount() * placesOf(block.input) + block.input.count());
        return block;
    }

    bool m_images;
    bool m_blocks;
};

BuiltLayer group(std::vector<BuiltLayer> layers) {
    BuiltLayer one{.name = layers.size() == 1 ? layers.front().name : layers.front().name + " ..."};
    one.place = layers.front().place;
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
    one.cost = static_cast<double>(one.parameterCount() * (takesWhole ? 1 : placesOf(one.input)) + one.input.count());
    one.again = std::move(layers);
    return one;
}

// Groups of as many layers as there are groups, or each block by itself.
std::vector<BuiltLayer> recomputed(std::vector<BuiltLayer> layers, const std::string& which) {
    if (which == "none") return layers;
    const auto atOnce = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers.size()))));
    std::vector<BuiltLayer> result;
    std::vector<BuiltLayer> open;
    for (BuiltLayer& layer : layers) {
        if (which == "blocks" && !layer.isBlock) {
            result.push_back(std::move(layer));
            continue;
        }
        open.push_back(std::move(layer));
        if (which == "all" && open.size() < atOnce) continue;
        result.push_back(group(std::exchange(open, {})));
    }
    if (!open.empty()) result.push_back(group(std::move(open)));
    return result;
}

// Whether all layers over images can, and one convolution is wide enough to gain by it.
bool takesBlocks(const Descriptions& layers, bool& gains) {
    return std::ranges::all_of(layers, [&](const LayerDescription& layer) {
        if (layer.input.dimensions() != 3) return true;
        switch (layer.kind) {
            case LayerKind::kConv2d: {
                const Shape& in = layer.input;
                gains = gains || (layer.kernel == 3 && layer.stride == 1 && layer.padding == 1 &&
                                  std::min(in[0], layer.outputs) >= 32 && std::min(in[1], in[2]) >= 8);
                return layer.outputs % kChannelBlock == 0;
            }
            case LayerKind::kResidual:
                return takesBlocks(layer.body, gains) && takesBlocks(layer.shortcut, gains);
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
    });
}

// As the kernel lists them; it never changes.
bool hasWideVectors() {
    static const bool has = [] {
        std::ifstream file("/proc/cpuinfo");
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("flags")) return line.find("avx512bw") != std::string::npos;
        return false;
    }();
    return has;
}

// The blocks of memory that groups of layers use in turns.
class Turns {
  public:
    void take(std::int64_t bytes) {
        while (m_next < m_blocks.size() && m_blocks[m_next] < bytes) ++m_next;
        if (m_next == m_blocks.size()) m_blocks.push_back(bytes);
        ++m_next;
    }
    void rewind() { m_next = 0; }
    std::int64_t bytes() const { return std::accumulate(m_blocks.begin(), m_blocks.end(), std::int64_t{0}); }

  private:
    std::vector<std::int64_t> m_blocks;
    std::size_t m_next = 0;
};

}  // namespace

std::int64_t BuiltLayer::parameterCount() const {
    std::int64_t count = 0;
    for (const TensorSize& one : parameters) count += one.values;
    return count;
}

bool takesChannelBlocks(const ModelDescription& model) {
    bool gains = false;
    return hasWideVectors() && model.layers.front().kind == LayerKind::kConv2d && takesBlocks(model.layers, gains) &&
           gains;
}

std::vector<BuiltLayer> buildLayers(const ModelDescription& model, const BuildChoice& choice) {
    const LayerDescription& first = model.layers.front();
    const bool images = first.input.dimensions() == 3 && first.kind != LayerKind::kFlatten;
    const bool asTheyCome = choice.channelBlocks && first.input[0] % kChannelBlock != 0;
    std::vector<BuiltLayer> layers;
    if (images && !asTheyCome) layers.push_back(imageOrder(first.input, "channels last"));
    for (BuiltLayer& layer : Builder(images, images && choice.channelBlocks).all(model.layers, false))
        layers.push_back(std::move(layer));
    return recomputed(std::move(layers), choice.recompute);
}

std::int64_t activationBytes(const std::vector<BuiltLayer>& layers, std::size_t first, std::size_t last,
                             std::int64_t samples) {
    Turns turns;
    std::int64_t bytes = 0;
    for (std::size_t i = first; i < last; ++i) {
        turns.rewind();
        for (const BuiltLayer& inner : layers[i].again)
            for (const LayerBlock& one : inner.memory) turns.take(one.bytes(samples));
        for (const LayerBlock& one : layers[i].memory) bytes += one.bytes(samples);
        bytes += layers[i].ownBytes;
    }
    return bytes + turns.bytes();
}

}  // namespace ringside
