// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "nn/layer/layer.h"

namespace ringside {

// Callbacks around the use of the parameters of a unit (layers that are gathered together, fsdp.unit): enter() before
// the unit needs them, leave() when it has finished. The gradients of its parameters are complete when it leaves the
// backward pass. The unit at the start of the model never leaves the backward pass, because the gradient by its input
// is not computed.
class UnitHooks {
  public:
    enum class Way { kForward, kBackward };
    virtual ~UnitHooks() = default;
    virtual void enter(std::size_t unit, Way way) = 0;
    virtual void leave(std::size_t unit, Way way) = 0;
};

// Layer whose parameters are gathered and freed together.
class Unit final : public Layer {
  public:
    explicit Unit(std::unique_ptr<Layer> layer) : m_layer(std::move(layer)) {}

    // Sets the callbacks of all following passes. hooks must outlive the layer. number: passed to the callbacks.
    void setHooks(UnitHooks& hooks, std::size_t number) {
        m_hooks = &hooks;
        m_number = number;
    }

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override {
        m_layer->prepare(memory, input, maxBatch);
    }
    std::vector<Parameter*> parameters() override { return m_layer->parameters(); }
    std::vector<Parameter*> buffers() override { return m_layer->buffers(); }
    void initialise(TorchGenerator& generator, Backend& backend) override { m_layer->initialise(generator, backend); }
    void begin(const Pass& pass) override { m_layer->begin(pass); }
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;
    bool splitsBackward() const override { return false; }
    bool isUsed(const Parameter& parameter) const override { return m_layer->isUsed(parameter); }
    bool isBlock() const override { return m_layer->isBlock(); }

  private:
    std::unique_ptr<Layer> m_layer;
    UnitHooks* m_hooks = nullptr;
    std::size_t m_number = 0;
};

}  // namespace ringside
