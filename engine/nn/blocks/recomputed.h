// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "nn/blocks/sequence.h"

namespace ringside {

// Layers of which only the input and the output are stored, but not the activations between them: the backward pass
// repeats the forward pass with the same key (torch.utils.checkpoint; Chen et al. 2016). All Recomputed layers of a
// model store their activations in the same memory, one layer at a time.
class Recomputed final : public Layer {
  public:
    Recomputed(Layers layers, std::shared_ptr<ReusedMemory> memory)
        : m_layers(std::move(layers)), m_shared(std::move(memory)) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override { return m_layers.parameters(); }
    std::vector<Parameter*> buffers() override { return m_layers.buffers(); }
    void initialise(TorchGenerator& generator, Backend& backend) override { m_layers.initialise(generator, backend); }
    void begin(const Pass& pass) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;
    bool splitsBackward() const override { return false; }
    bool isUsed(const Parameter& parameter) const override { return m_layers.isUsed(parameter); }

  private:
    Tensor copied(const Tensor& from, const Tensor& to) const;

    Sequence m_layers;
    std::shared_ptr<ReusedMemory> m_shared;
    Backend* m_backend = nullptr;
    Pass m_pass;
    Tensor m_x;  // input of the last forward pass, in the previous layer's memory
    Tensor m_y;
    Tensor m_gradX;
};

}  // namespace ringside
