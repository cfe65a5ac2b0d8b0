// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/layer/layer.h"

namespace ringside {

using Layers = std::vector<std::unique_ptr<Layer>>;

// Layers one after the other as one layer, inside of others. At least one.
class Sequence final : public Layer {
  public:
    explicit Sequence(Layers layers) : m_layers(std::move(layers)) {}

    std::string describe() const override;  // "Linear(4, 8), ReLU()"
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
    bool isUsed(const Parameter& parameter) const override;
    bool has(const Parameter& parameter) const;

  private:
    Layers m_layers;
    Tensor m_gradFirst;  // by the first layer's output; the second layer's memory
};

}  // namespace ringside
