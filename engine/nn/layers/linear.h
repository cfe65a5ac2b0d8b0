// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.Linear(in, out): weight (out, in), then bias (out).
class Linear final : public Layer {
  public:
    // prefix: with "0." the parameters are called "0.weight" and "0.bias".
    Linear(std::int64_t inFeatures, std::int64_t outFeatures, const std::string& prefix);

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override { return {&m_weight, &m_bias}; }
    void initialise(TorchGenerator& generator, Backend& backend) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    std::int64_t m_in;
    std::int64_t m_out;
    Parameter m_weight;
    Parameter m_bias;
    Backend* m_backend = nullptr;
    Tensor m_x;  // input of the last forward pass, in the previous layer's memory
    Tensor m_y;
    Tensor m_gradX;
};

}  // namespace ringside
