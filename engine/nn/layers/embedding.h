// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.Embedding(number of tokens, width): maps each token of a sequence to a row of the table, (T) to (T, width).
class Embedding final : public Layer {
  public:
    Embedding(std::int64_t words, std::int64_t width, const std::string& prefix);

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override { return {&m_weight}; }
    void initialise(TorchGenerator& generator, Backend& backend) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    // Returns the gradient unchanged, because tokens have no gradient.
    Tensor backwardInput(const Tensor& gradY) override { return gradY; }

  private:
    Parameter m_weight;
    Backend* m_backend = nullptr;
    Tensor m_x;
    Tensor m_y;
};

// Adds a trained vector to each position: self.NAME = nn.Embedding(positions, width), x + NAME(arange(T)).
class PositionEmbedding final : public Layer {
  public:
    PositionEmbedding(std::int64_t positions, std::int64_t width, const std::string& prefix);

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override { return {&m_weight}; }
    void initialise(TorchGenerator& generator, Backend& backend) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override { return gradY; }

  private:
    Parameter m_weight;
    Backend* m_backend = nullptr;
    Tensor m_y;
};

}  // namespace ringside
