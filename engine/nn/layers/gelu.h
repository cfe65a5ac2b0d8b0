// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.GELU() in its exact form, approximate='none'.
class Gelu final : public Layer {
  public:
    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    Backend* m_backend = nullptr;
    Tensor m_x;  // input of the last forward pass, in the previous layer's memory
    Tensor m_y;
    Tensor m_gradX;
};

}  // namespace ringside
