// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "nn/blocks/sequence.h"

namespace ringside {

// Multi-head causal self-attention over sequences (T, width), after Vaswani et al. 2017. In PyTorch:
//
//     q, k, v = self.qkv(x).split(width, dim=2)      self.qkv = nn.Linear(width, 3 * width)
//     y = F.scaled_dot_product_attention(q, k, v, is_causal=True), for each head
//     y = self.proj(y)                               self.proj = nn.Linear(width, width)
//
// Input and output have one row of `width` values for each position. The layer owns its parameters. Their memory and
// the working memory belong to the LayerMemory of prepare().
class Attention final : public Layer {
  public:
    // prefix: start of the parameters' names, such as "attention." for "attention.qkv.weight".
    Attention(const AttentionSpec& spec, const std::string& prefix);

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override { return m_parts.parameters(); }
    std::vector<Parameter*> buffers() override { return m_parts.buffers(); }
    void begin(const Pass& pass) override { m_parts.begin(pass); }
    void initialise(TorchGenerator& generator, Backend& backend) override { m_parts.initialise(generator, backend); }
    Tensor forward(const Tensor& x) override { return m_parts.forward(x); }
    void backwardParameters(const Tensor& gradY) override { m_parts.backwardParameters(gradY); }
    Tensor backwardInput(const Tensor& gradY) override { return m_parts.backwardInput(gradY); }
    bool splitsBackward() const override { return false; }

  private:
    AttentionSpec m_spec;
    Sequence m_parts;
};

}  // namespace ringside
