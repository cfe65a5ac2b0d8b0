// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.Dropout(probability). The dropped values depend only on the pass' key, the layer's number and the positions
// of the values, and not on threads or devices. The masks differ from PyTorch's.
class Dropout final : public Layer {
  public:
    Dropout(double probability, std::uint64_t number) : m_probability(probability), m_number(number) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    void begin(const Pass& pass) override;
    Tensor forward(const Tensor& x) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    bool drops() const { return m_training && m_probability > 0; }

    double m_probability;
    std::uint64_t m_number;  // index of this layer among the model's dropout layers
    bool m_training = true;
    Backend* m_backend = nullptr;
    Tensor m_key;  // key of the masks; stored on the device, so that a recorded step can be replayed with another key
    Tensor m_y;
    Tensor m_gradX;
};

}  // namespace ringside
