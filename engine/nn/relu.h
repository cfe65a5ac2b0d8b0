// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer.h"

namespace ringside {

// torch.nn.ReLU(inplace=True): works in its input's memory, forwards and backwards.
class ReLU final : public Layer {
  public:
    std::string describe() const override { return "ReLU()"; }
    Result<Shape> outputShape(const Shape& input) const override { return input; }
    void prepare(Backend& backend, const Shape&, std::int64_t) override { m_backend = &backend; }
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    Backend* m_backend = nullptr;
    Tensor m_y;
};

}  // namespace ringside
