// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.AdaptiveAvgPool2d(1) and the flattening after it: each channel's mean over the pixels.
class GlobalAveragePool final : public Layer {
  public:
    explicit GlobalAveragePool(ImageLayout layout = ImageLayout::kChannelsLast) : m_layout(layout) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    ImageLayout m_layout;
    Backend* m_backend = nullptr;
    Tensor m_y;
    Tensor m_gradX;
};

}  // namespace ringside
