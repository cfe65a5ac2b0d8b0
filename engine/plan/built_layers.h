// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/model_description.h"
#include "tensor/image_layout.h"

namespace ringside {

inline constexpr std::int64_t kFloatBytes = 4;

// Size of the part of a batch on which a pooled convolution works at a time. With smaller parts the convolutions lose
// more than the caches save (measured with 1 MiB of L2 per CPU).
inline constexpr std::int64_t kPooledPartBytes = 2 << 20;

// A trained tensor. Sharding splits the rows of its first dimension.
struct TensorSize {
    std::int64_t rows = 0;
    std::int64_t values = 0;

    std::int64_t rowValues() const { return rows == 0 ? 0 : values / rows; }
};

// Memory that a layer allocates once for batches of up to a given number of samples.
struct LayerBlock {
    std::int64_t fixed = 0;      // bytes
    std::int64_t perSample = 0;  // bytes
    std::int64_t mostSamples = std::numeric_limits<std::int64_t>::max();

    std::int64_t bytes(std::int64_t samples) const { return fixed + perSample * std::min(samples, mostSamples); }
};

// Kind of a layer that the engine builds.
enum class BuiltKind {
    kDescribed,          // one layer of the model description
    kPooledConvolution,  // a convolution, a ReLU if the description has one, and a max-pooling
    kToImages,           // reorders samples from channels-first to the layout of the model's images
    kGroup,              // layers of which only input and output are kept (training.recompute)
};

// A layer as the engine builds it. It contains all decisions about fusion, grouping and layout: nn creates one Layer
// for each BuiltLayer, and cost computes the cost of each.
struct BuiltLayer {
    BuiltKind kind = BuiltKind::kDescribed;
    LayerDescription layer = {};    // kDescribed: the layer; kPooledConvolution: the convolution
    LayerDescription pooling = {};  // kPooledConvolution only
    ImageLayout layout = ImageLayout::kChannelsLast;
    bool afterReLU = false;             // pooling: also applies the ReLU before it
    bool inPlace = false;               // ReLU: may overwrite its input
    std::uint64_t draw = 0;             // dropout and residual: index among the layers of its kind, for random numbers
    bool isUnit = false;                // unit of fsdp.unit: parameters gathered, gradients reduced as one
    std::vector<BuiltLayer> body = {};  // residual
    std::vector<BuiltLayer> shortcut = {};  // residual; empty: the input itself
    std::vector<BuiltLayer> group = {};     // kGroup: its layers. Groups share one memory for their activations.

    std::string name = {};   // "Linear(64, 128)"
    std::string place = {};  // prefix of its parameters in the state_dict: "0", "blocks.1"; empty without parameters
    std::vector<TensorSize> parameters = {};
    std::vector<std::size_t> parametersOfUnits = {};  // number of parameters of each unit of fsdp.unit layer, in order
    std::int64_t bufferBytes = 0;
    std::int64_t buffers = 0;             // tensors
    std::int64_t ownBytes = 0;            // independent of the batch, never shared
    std::vector<LayerBlock> memory = {};  // in the order of allocation
    std::int64_t flops = 0;               // of a sample's forward pass
    double cost = 0;                      // weight by which pipelines are cut
    Shape input = {};
    Shape output = {};
    bool isBlock = false;

    std::int64_t parameterCount() const;  // values
    std::string describe() const;         // "Residual(Linear(4, 4), ReLU())": with its inner layers
};

// Returns the cost of a backward pass relative to a forward pass: twice, and once more for activations that the
// backward pass computes again.
double backwardPerForward(Recompute which);

// Choices that decide how a model is built. The results of training do not depend on them.
struct BuildChoice {
    Recompute recompute = Recompute::kNone;
    bool channelBlocks = false;          // images in blocks of channels, with pooling inside the convolution
    ShardUnit unit = ShardUnit::kWhole;  // the layers that become units
};

// Returns the layers of a model in the order of execution, with their parameters and memory.
std::vector<BuiltLayer> buildLayers(const ModelDescription& model, const BuildChoice& choice);

// Returns the text of all layers, separated by commas: "Linear(64, 128), ReLU(), Linear(128, 10)".
std::string describe(const std::vector<BuiltLayer>& layers);

// Convolutions of a model whose layers can all work on blocks of channels and of which at least one is wide enough to
// gain by it. Empty for any other model. Does not depend on the host; takesChannelBlocks() also checks the host.
std::vector<LayerDescription> convolutionsForBlocks(const ModelDescription& model);

// True if this host computes the model on blocks of channels: it has AVX-512, and convolutionsForBlocks() is not empty.
bool takesChannelBlocks(const ModelDescription& model);

// Returns the bytes of activations of the layers [first, last) for batches of up to `samples` samples.
std::int64_t activationBytes(const std::vector<BuiltLayer>& layers, std::size_t first, std::size_t last,
                             std::int64_t samples);

}  // namespace ringside
