// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "model/layer_description.h"

namespace ringside {

class Dataset;
struct SampleShape;

// Layers of a model with all shapes.
struct ModelDescription {
    std::vector<LayerDescription> layers;

    std::int64_t parameters() const;
    std::int64_t flops() const;        // returns the FLOPs of a forward pass of one sample
    std::int64_t activations() const;  // returns the number of values per sample that the forward pass keeps in memory
};

// Input shape and number of outputs that a model is built for.
struct ModelInterface {
    Shape sample = {};         // shape of a sample: (C, H, W) for images, (positions) for sequences of tokens,
                               // (features) otherwise
    std::int64_t outputs = 1;  // number of classes or of values to predict; for sequences the size of the vocabulary
    bool isSequence = false;   // true if the model has one row of outputs for each position
};

// Describes the layers of the configured model, with all shapes. A problem names the layer, the shape that it requires
// and the shape that it receives.
//   mlp           nn.Sequential(Linear, ReLU, Linear, ...): parameters "0.weight", "0.bias", "2.weight", ...
//   toy_linear    a module with self.linear = nn.Linear(inputs, outputs): "linear.weight", "linear.bias"
//   simple_cnn    conv1, conv2 (3x3, padding 1, 32 and 64 channels, each with ReLU and 2x2 pooling),
//                 fc1 to 512 values with ReLU, fc2
//   residual_cnn  ResNet for small images (He et al. 2015, section 4.2) with torchvision's names: conv1, bn1,
//                 layer1 to layer3 of `depth` blocks with width, 2 width and 4 width channels, each block with
//                 conv1, bn1, conv2, bn2 and, if the shape changes, downsample; global average, fc.
//                 Convolutions have no bias.
//   transformer   token_embedding, position_embedding, `depth` blocks (norm1, attention.qkv, attention.proj;
//                 norm2, mlp.0, GELU, mlp.2; each half with a residual connection), norm, head
//   layers        nn.Sequential of config.layers: "0.weight", ... by index in the list
Result<ModelDescription> describeModel(const ModelConfig& config, const ModelInterface& interface);
Result<ModelDescription> describeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs);

// Describes a model for a data set: one output for each class, or for each value to predict.
Result<ModelDescription> describeModel(const ModelConfig& config, const Dataset& data);
// Returns the input shape and the number of outputs that a data set requires. modelInput() and modelOutputs() return
// them separately.
ModelInterface modelInterface(const Dataset& data);
Shape modelInput(const SampleShape& sample);
std::int64_t modelOutputs(const Dataset& data);

}  // namespace ringside
