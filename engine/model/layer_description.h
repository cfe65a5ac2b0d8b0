// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/shape.h"

namespace ringside {

enum class LayerKind {
    kLinear,
    kConv2d,
    kMaxPool2d,
    kGlobalAveragePool,
    kReLU,
    kGelu,
    kLayerNorm,
    kBatchNorm2d,
    kDropout,
    kFlatten,
    kEmbedding,
    kPositionEmbedding,
    kAttention,
    kResidual,
};

// One layer of a model, as PyTorch's module of that name takes it. Shapes are of one sample: images (C, H, W),
// sequences (positions, values).
struct LayerDescription {
    LayerKind kind = LayerKind::kReLU;
    std::string name = {};                        // where its parameters are in the state_dict: "conv1", "0"
    std::int64_t outputs = 0;                     // linear: features; convolution: channels; embedding: width
    std::int64_t kernel = 0;                      // convolution, pooling
    std::int64_t stride = 1;                      // convolution
    std::int64_t padding = 0;                     // convolution
    bool bias = true;                             // convolution
    std::int64_t heads = 0;                       // attention
    double probability = 0;                       // dropout; residual: of being skipped in training
    std::int64_t words = 0;                       // embedding: rows of the table
    std::vector<LayerDescription> body = {};      // residual: y = body(x) + shortcut(x)
    std::vector<LayerDescription> shortcut = {};  // residual; empty: x itself
    Shape input = {};
    Shape output = {};

    std::string text() const;  // "Conv2d(3, 32, kernel_size=3, padding=1)"
    std::int64_t parameters() const;
    std::int64_t flops() const;        // of a forward pass, per sample: a multiplication and an addition are two
    std::int64_t activations() const;  // values that a sample leaves in memory on the way forward
};

}  // namespace ringside
