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

// Layer of a model with the parameters of the corresponding PyTorch module. Shapes are those of one sample: images (C,
// H, W), sequences (positions, values).
struct LayerDescription {
    LayerKind kind = LayerKind::kReLU;
    std::string name = {};                        // prefix of the layer's parameters in the state_dict: "conv1", "0"
    std::int64_t outputs = 0;                     // number of outputs. linear: features; convolution: channels;
                                                  // embedding: width
    std::int64_t kernel = 0;                      // side of the kernel of a convolution or a pooling
    std::int64_t stride = 1;                      // stride of a convolution
    std::int64_t padding = 0;                     // padding of a convolution
    bool bias = true;                             // true if a convolution has a bias
    std::int64_t heads = 0;                       // number of heads of an attention
    double probability = 0;                       // dropout: probability that a value becomes 0; residual: probability
                                                  // that the block is skipped in training
    std::int64_t words = 0;                       // embedding: number of rows of the table
    std::vector<LayerDescription> body = {};      // residual: y = body(x) + shortcut(x)
    std::vector<LayerDescription> shortcut = {};  // residual: layers of the shortcut; empty: identity
    Shape input = {};
    Shape output = {};

    std::string text() const;  // returns, for example, "Conv2d(3, 32, kernel_size=3, padding=1)"
    std::int64_t parameters() const;
    std::int64_t flops() const;        // returns the FLOPs of a forward pass of one sample; a multiply-add counts as
                                       // two
    std::int64_t activations() const;  // returns the number of values per sample that the forward pass keeps in memory
};

}  // namespace ringside
