// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.MaxPool2d(kernel), combined with a preceding ReLU if there is one: one pass over memory instead of two.
class MaxPool2d final : public Layer {
  public:
    explicit MaxPool2d(const MaxPoolSpec& spec) : m_spec(spec) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    MaxPoolSpec m_spec;
    Backend* m_backend = nullptr;
    Tensor m_y;
    Tensor m_winners;
    Tensor m_gradX;
};

}  // namespace ringside
