// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// Converts between PyTorch's layout of images, channels first, and the layout inside a model. Also flattens sequences.
// PyTorch has no such layer; the conversion to channels first is part of Flatten.
class ImageOrder final : public Layer {
  public:
    enum class To { kImages, kFlat };
    explicit ImageOrder(To to, ImageLayout layout = ImageLayout::kChannelsLast) : m_to(to), m_layout(layout) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    To m_to;
    ImageLayout m_layout;
    Backend* m_backend = nullptr;
    std::int64_t m_channels = 0;  // number of channels whose values lie next to each other in memory
    std::int64_t m_pixels = 0;
    std::int64_t m_positions = 0;  // number of positions of a sequence, whose rows are joined to one row; 0 for images
    // output of the last forward pass; m_y and m_gradX are empty if both layouts have the same order of values
    Tensor m_y;
    Tensor m_gradX;
};

}  // namespace ringside
