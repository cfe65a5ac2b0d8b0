// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nn/blocks/sequence.h"

namespace ringside {

// Stochastic depth (Huang et al. 2016): in training, a block is skipped with this probability. The decision is drawn
// from the pass' key, so that different ranks skip different blocks. number: index of the block among the layers that
// draw random numbers.
struct SkipRule {
    double probability = 0;
    std::uint64_t number = 0;
};

// Computes y = body(x) + shortcut(x), or body(x) + x without a shortcut; a skipped body adds nothing to the sum. The
// body must not start or end with a layer that works in its input's memory, and must have parameters (see
// describeModel).
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
    Tensor m_y;  // output of the block; allocated only if the body can be skipped
    Tensor m_gradX;
    Tensor m_shortcutGradient;  // gradient with respect to the input through the shortcut; without a shortcut, the
                                // gradient with respect to the block's output
};

}  // namespace ringside
