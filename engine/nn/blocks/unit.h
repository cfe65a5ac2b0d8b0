// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "nn/layer/layer.h"

namespace ringside {

// Callbacks around the use of the parameters of a unit (layers whose parameters are gathered together, fsdp.unit):
// enter() is called before the unit needs the parameters, leave() when it has finished. The gradients of the unit's
// parameters are complete when the unit leaves the backward pass. For the unit at the start of the model, leave() is
// not called in the backward pass, because the gradient with respect to its input is not computed.
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
