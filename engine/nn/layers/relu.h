// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.ReLU(inplace=True): works in its input's memory, forwards and backwards. Not in place where somebody else
// still needs the input: at the start of a residual's body.
class ReLU final : public Layer {
  public:
    explicit ReLU(bool inPlace = true) : m_inPlace(inPlace) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    bool m_inPlace;
    Tensor m_own;  // empty in place
    Backend* m_backend = nullptr;
    Tensor m_y;
};

}  // namespace ringside
