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

// Bytes of convolution output that a pooled convolution computes before it applies the pooling; larger batches are
// computed in parts. With smaller parts, the convolutions become slower by more time than the caches save (measured
// with 1 MiB of L2 per CPU).
inline constexpr std::int64_t kPooledPartBytes = 2 << 20;

// A trained tensor. Sharding splits the rows of its first dimension.
struct TensorSize {
    std::int64_t rows = 0;
    std::int64_t values = 0;

    std::int64_t valuesPerRow() const { return rows == 0 ? 0 : values / rows; }
};

// Memory that a layer allocates once, large enough for batches of up to a given number of samples. Its size is `fixed`,
// plus `perSample` for each sample, but for at most `maxSamples` samples.
struct LayerAllocation {
    std::int64_t fixed = 0;      // bytes that do not depend on the number of samples
    std::int64_t perSample = 0;  // additional bytes for each sample of the batch
    std::int64_t maxSamples = std::numeric_limits<std::int64_t>::max();

    std::int64_t bytes(std::int64_t samples) const { return fixed + perSample * std::min(samples, maxSamples); }
};

// Kind of a layer that the engine builds.
enum class BuiltKind {
    kDescribed,          // one layer of the model description
    kPooledConvolution,  // a convolution, a ReLU if the description has one, and a max-pooling
    kToImages,           // reorders samples from channels-first to the layout of the model's images
    kGroup,              // layers of which only input and output are kept (training.recompute)
};

// A layer as the engine builds it. It contains all decisions about fusion, grouping and layout: engine/nn creates one
// Layer for each BuiltLayer, and engine/cost computes the cost of each BuiltLayer.
struct BuiltLayer {
    BuiltKind kind = BuiltKind::kDescribed;
    LayerDescription layer = {};    // kDescribed: the described layer; kPooledConvolution: the convolution
    LayerDescription pooling = {};  // kPooledConvolution: the pooling
    ImageLayout layout = ImageLayout::kChannelsLast;
    bool afterReLU = false;  // kPooledConvolution and max-pooling: true if the pooling also applies the ReLU before it
    bool inPlace = false;    // ReLU: true if the layer may overwrite its input
    // Dropout and residual: index of the layer among the model's layers of this kind. The layer's random numbers are
    // derived from this index.
    std::uint64_t draw = 0;
    bool isUnit = false;                // true for a unit of fsdp.unit: its parameters are gathered and its gradients
                                        // reduced together
    std::vector<BuiltLayer> body = {};  // residual: layers of the body
    std::vector<BuiltLayer> shortcut = {};  // residual: layers of the shortcut; empty: the input itself
    std::vector<BuiltLayer> group = {};     // kGroup: layers of the group. Groups share one memory for their
                                            // activations.

    std::string name = {};  // layer as text, such as "Linear(64, 128)"
    // Prefix of the names of the layer's parameters in the state_dict: "0", "blocks.1"; empty if the layer has no
    // parameters.
    std::string parameterPrefix = {};
    std::vector<TensorSize> parameters = {};
    std::vector<std::size_t> parametersOfUnits = {};  // number of parameter tensors of each unit inside this layer if
                                                      // fsdp.unit is layer, in order
    std::int64_t bufferBytes = 0;
    std::int64_t buffers = 0;                  // number of tensors that are saved in the state_dict but not trained
    std::int64_t ownBytes = 0;                 // bytes that do not depend on the batch and are never shared
    std::vector<LayerAllocation> memory = {};  // memory that the layer allocates, in the order of allocation
    std::int64_t flops = 0;                    // floating-point operations of a sample's forward pass
    // Estimated work per sample: the number of weights times the number of positions at which they are used, plus the
    // number of inputs. The layers are divided into pipeline stages of about equal cost.
    double cost = 0;
    Shape input = {};
    Shape output = {};
    bool isBlock = false;

    std::int64_t parameterCount() const;  // returns the number of values of all parameters
    std::string describe() const;         // returns the name with the inner layers, such as "Residual(Linear(4, 4),
                                          // ReLU())"
};

// Returns the estimated duration of a backward pass relative to a forward pass: 2, or 3 if the backward pass computes
// activations again.
double backwardPerForward(Recompute which);

// Choices that decide how a model is built. The results of training do not depend on them.
struct BuildChoice {
    Recompute recompute = Recompute::kNone;
    bool channelBlocks = false;          // true: images are stored in blocks of channels, with pooling inside the
                                         // convolution
    ShardUnit unit = ShardUnit::kWhole;  // set of layers whose parameters are gathered together (fsdp.unit)
};

// Returns the layers of a model in the order of execution, with their parameters and memory.
std::vector<BuiltLayer> buildLayers(const ModelDescription& model, const BuildChoice& choice);

// Returns the text of all layers, separated by commas: "Linear(64, 128), ReLU(), Linear(128, 10)".
std::string describe(const std::vector<BuiltLayer>& layers);

// Returns the convolutions of a model whose layers can all work on images that are stored in blocks of channels, if at
// least one convolution has enough channels to become faster in this layout. Empty for any other model. Does not depend
// on the host; takesChannelBlocks() also checks the host.
std::vector<LayerDescription> convolutionsForBlocks(const ModelDescription& model);

// True if this host computes the model on images that are stored in blocks of channels: it has AVX-512, and
// convolutionsForBlocks() is not empty.
bool takesChannelBlocks(const ModelDescription& model);

// Returns the memory for activations of the layers first to last - 1, in bytes, for batches of up to `samples` samples.
std::int64_t activationBytes(const std::vector<BuiltLayer>& layers, std::size_t first, std::size_t last,
                             std::int64_t samples);

}  // namespace ringside
