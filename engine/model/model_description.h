// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "tensor/shape.h"

namespace ringside {

class Dataset;
struct SampleShape;

enum class LayerKind { kLinear, kConv2d, kMaxPool2d, kReLU, kGelu, kLayerNorm, kFlatten };

// One layer of a model, as PyTorch's module of that name takes it. Shapes are of one sample, images (C, H, W).
struct LayerDescription {
    LayerKind kind = LayerKind::kReLU;
    std::string name = {};     // where its parameters are in the state_dict: "conv1", "0"
    std::int64_t outputs = 0;  // linear: features; convolution: channels
    std::int64_t kernel = 0;   // convolution, pooling
    std::int64_t stride = 1;   // convolution
    std::int64_t padding = 0;  // convolution
    Shape input = {};
    Shape output = {};

    std::string text() const;  // "Conv2d(3, 32, kernel_size=3, padding=1)"
    std::int64_t parameters() const;
    std::int64_t flops() const;  // of a forward pass, per sample: a multiplication and an addition are two
};

struct ModelDescription {
    std::vector<LayerDescription> layers;

    std::int64_t parameters() const;
    std::int64_t flops() const;        // forward, per sample
    std::int64_t activations() const;  // values that a sample leaves in memory on the way forward
};

// The layers of the model that a configuration names, from samples of this shape to `outputs` values, with every shape
// worked out. The problem names the layer and both shapes.
//   mlp         nn.Sequential(Linear, ReLU, Linear, ...): parameters "0.weight", "0.bias", "2.weight", ...
//   toy_linear  a class with self.linear = nn.Linear(inputs, outputs): "linear.weight", "linear.bias"
//   simple_cnn  self.conv1, conv2 (3x3, padding 1, 32 and 64 channels, each with ReLU and 2x2 pooling), fc1 to 512, fc2
//   layers      nn.Sequential of config.layers: "0.weight", ... by place in the list
Result<ModelDescription> describeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs);

// For the samples of a data set: one output for each class, or for each value to predict.
Result<ModelDescription> describeModel(const ModelConfig& config, const Dataset& data);
Shape modelInput(const SampleShape& sample);  // (C, H, W) for images, (features) otherwise
std::int64_t modelOutputs(const Dataset& data);

}  // namespace ringside
