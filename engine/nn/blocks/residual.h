// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nn/blocks/sequence.h"

namespace ringside {

// y = body(x) + shortcut(x), or body(x) + x without a shortcut. The body does not start or end with a layer that works
// in its input's memory, and has parameters (see describeModel).
class Residual final : public Layer {
  public:
    Residual(Layers body, Layers shortcut);

    std::string describe() const override;
    Result<Shape> outputShape(const Shape& input) const override;
    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override;
    std::vector<Parameter*> buffers() override;
    void initialise(TorchGenerator& generator, Backend& backend) override;
    void begin(const Pass& pass) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;
    bool splitsBackward() const override { return false; }
    bool isBlock() const override { return true; }

  private:
    Sequence m_body;
    std::optional<Sequence> m_shortcut;
    Backend* m_backend = nullptr;
};

}  // namespace ringside
