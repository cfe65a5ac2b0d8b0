// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nn/blocks/sequence.h"

namespace ringside {

// What stochastic depth does with a block (Huang et al. 2016): in training it is left out with this probability, drawn
// from the pass' key, so that every rank leaves out others. number: among the layers that draw.
struct SkipRule {
    double probability = 0;
    std::uint64_t number = 0;
};

// y = body(x) + shortcut(x), or body(x) + x without a shortcut; where the body is skipped, without its part. The body
// does not start or end with a layer that works in its input's memory, and has parameters (see describeModel).
class Residual final : public Layer {
  public:
    Residual(Layers body, Layers shortcut, SkipRule skip = {});

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override;
    std::vector<Parameter*> buffers() override;
    void initialise(TorchGenerator& generator, Backend& backend) override;
    void begin(const Pass& pass) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;
    bool splitsBackward() const override { return false; }
    bool isUsed(const Parameter& parameter) const override;
    bool isBlock() const override { return true; }

  private:
    Tensor copied(const Tensor& from, const Tensor& to) const;

    Sequence m_body;
    std::optional<Sequence> m_shortcut;
    Backend* m_backend = nullptr;
    SkipRule m_skip;
    bool m_isSkipped = false;
    Tensor m_y;  // where the body may be skipped
    Tensor m_gradX;
    Tensor m_gradBeside;  // by the input, of the shortcut; without one, what came in
};

}  // namespace ringside
