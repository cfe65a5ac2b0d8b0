// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/image_layout.h"
#include "tensor/tensor.h"

namespace ringside {

// torch.nn.Conv2d(inChannels, outChannels, kernel, stride, padding) over images of height x width.
struct ConvolutionSpec {
    std::int64_t inChannels = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t outChannels = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    bool bias = true;  // true if the convolution has a bias; otherwise bias and gradBias are empty tensors
    // Layout of x and y. With channel blocks, an x whose number of channels is no multiple of the block, such as a
    // model's input, is channels-first as in PyTorch: (B,C,H,W).
    ImageLayout layout = ImageLayout::kChannelsLast;

    std::int64_t outHeight() const { return (height + 2 * padding - kernel) / stride + 1; }
    std::int64_t outWidth() const { return (width + 2 * padding - kernel) / stride + 1; }
};

// One convolution of a model, made by a Backend that must outlive it. Weights are (out,in,kernel,kernel), as in
// PyTorch. The first call with a batch size prepares everything for this size and may allocate memory.
class Convolution {
  public:
    virtual ~Convolution() = default;
    virtual void forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) = 0;
    // Overwrites gradWeight and gradBias with the gradients of the weights and the bias.
    virtual void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                    const Tensor& gradBias) = 0;
    virtual void backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) = 0;
};

}  // namespace ringside
