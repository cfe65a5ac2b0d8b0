// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// Between the order of PyTorch's tensors, channels first, and that of images inside a model. Without a name of its own
// in PyTorch, except that the way back is part of Flatten.
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
    std::int64_t m_channels = 0;  // that lie together
    std::int64_t m_pixels = 0;
    std::int64_t m_positions = 0;  // of a sequence, whose rows become one
    Tensor m_y;                    // both empty where the two orders are the same
    Tensor m_gradX;
};

}  // namespace ringside
