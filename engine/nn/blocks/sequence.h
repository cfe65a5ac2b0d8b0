// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "nn/layer/layer.h"
#include "plan/built_layers.h"

namespace ringside {

// A layer and the entry of plan/built_layers.h from which it was made.
struct ModelLayer {
    std::unique_ptr<Layer> layer;
    BuiltLayer built = {};

    Layer* operator->() const { return layer.get(); }
    Layer& operator*() const { return *layer; }
};
using Layers = std::vector<ModelLayer>;

// Sequence of at least one layer that acts as a single layer.
class Sequence final : public Layer {
  public:
    explicit Sequence(Layers layers) : m_layers(std::move(layers)) {}

    // Returns the shape of the output of one sample.
    const Shape& output() const { return m_layers.back().built.output; }
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
    Tensor m_gradFirst;  // gradient with respect to the first layer's output, in the second layer's memory
};

}  // namespace ringside
