// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/model_description.h"

namespace ringside {

inline constexpr std::int64_t kFloatBytes = 4;

// A trained tensor: sharding deals the rows of its first dimension.
struct TensorSize {
    std::int64_t rows = 0;
    std::int64_t values = 0;

    std::int64_t rowValues() const { return rows == 0 ? 0 : values / rows; }
};

// Memory that a layer takes once for batches of up to so many samples.
struct LayerBlock {
    std::int64_t fixed = 0;      // bytes
    std::int64_t perSample = 0;  // bytes
    std::int64_t mostSamples = std::numeric_limits<std::int64_t>::max();

    std::int64_t bytes(std::int64_t samples) const { return fixed + perSample * std::min(samples, mostSamples); }
};

// A layer as the engine makes it: pooling takes in the ReLU before it, and layers that are computed again go together.
struct BuiltLayer {
    std::string name;        // "Linear(64, 128)"
    std::string place = {};  // in the state_dict: "0", "blocks.1"; empty where it has no parameters
    std::vector<TensorSize> parameters = {};
    std::vector<std::size_t> parametersOfUnits = {};  // how many each of its units (fsdp.unit layer) has, in order
    std::int64_t bufferBytes = 0;
    std::int64_t buffers = 0;             // tensors
    std::int64_t ownBytes = 0;            // whatever the batch, shared with nobody
    std::vector<LayerBlock> memory = {};  // in the order in which it is asked for
    std::int64_t flops = 0;               // of a sample on the way forward
    double cost = 0;                      // by which pipelines are cut
    Shape input = {};
    Shape output = {};
    bool isBlock = false;
    // Layers of which only what comes in and goes out is kept; they take the rest in turns with the model's other
    // groups.
    std::vector<BuiltLayer> again = {};

    std::int64_t parameterCount() const;  // values
};

struct BuildChoice {
    std::string recompute = "none";  // as training.recompute
    bool channelBlocks = false;      // images in blocks of channels, whose pooling is done within the convolution
};

std::vector<BuiltLayer> buildLayers(const ModelDescription& model, const BuildChoice& choice);

// Whether a CPU like this one works on blocks of channels: all layers over images can, one convolution gains by it, and
// there is AVX-512.
bool takesChannelBlocks(const ModelDescription& model);

// What the layers [first, last) take for activations, for batches of up to so many samples.
std::int64_t activationBytes(const std::vector<BuiltLayer>& layers, std::size_t first, std::size_t last,
                             std::int64_t samples);

}  // namespace ringside
