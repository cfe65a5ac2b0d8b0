// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.ReLU(inplace=True): overwrites its input in the forward and the backward pass. Not in place if another layer
// still needs the input, as at the start of a residual's body.
class ReLU final : public Layer {
  public:
    explicit ReLU(bool inPlace = true) : m_inPlace(inPlace) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    bool m_inPlace;
    Tensor m_own;  // memory of the output; empty if the layer works in place
    Backend* m_backend = nullptr;
    Tensor m_y;
};

}  // namespace ringside
