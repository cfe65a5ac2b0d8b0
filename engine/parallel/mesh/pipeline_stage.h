// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "nn/models/loss.h"
#include "nn/models/model_factory.h"
#include "parallel/parameters/parameter_store.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Dependencies and sizes of a PipelineStage.
struct StageDependencies {
    const RunConfig& config;
    const StrategyPlan& plan;
    Backend& backend;
    LayerRange range;
    std::size_t number = 0;
    std::size_t microBatches = 1;  // maximum number of micro-batches in flight
    std::int64_t classes = 0;      // number of classes of the loss; 0: the loss counts no correct predictions
    std::int64_t targets = 0;
    std::int64_t positions = 1;
    bool isLast = true;
};

// Consecutive layers of the model on this rank, as torch.distributed.pipelining.PipelineStage. Each micro-batch in
// flight has its own activations (slot). All micro-batches share the values and gradients of the parameters.
class PipelineStage {
  public:
    // Memory of one micro-batch in flight in this stage: model with activations, messages and loss.
    struct Slot {
        std::unique_ptr<Model> model;
        std::vector<Unit*> units;    // units (layers whose parameters are gathered together, fsdp.unit) within the
                                     // stage's layers
        std::unique_ptr<Loss> loss;  // loss of the model; null in all stages except the last one
        Tensor input;                // input received from the previous stage; empty in the first stage
        Tensor gradOutput;           // gradient received from the next stage; empty in the last stage
        Tensor y;                    // output of this stage in the last forward pass
        Tensor gradX;                // gradient with respect to the input of this stage, from the last backward pass
        CommHandle sentForward;
        CommHandle sentBackward;
        int microBatch = -1;  // number of the micro-batch that uses the slot (memory of one micro-batch in flight); -1:
                              // the slot is free
    };

    explicit PipelineStage(const StageDependencies& dependencies);

    std::size_t number() const { return m_number; }
    bool isFirst() const { return m_number == 0; }
    bool isLast() const { return m_isLast; }
    Model& model() { return *m_slots.front().model; }
    std::vector<Model*> models();
    std::vector<std::vector<Unit*>> units();
    void setStore(std::unique_ptr<ParameterStore> store) { m_store = std::move(store); }
    ParameterStore& store() { return *m_store; }

    // assigns a free slot to the micro-batch; waits until the messages in the slot have been sent
    Slot& takeSlot(int microBatch);
    Slot& slotOf(int microBatch);  // returns the slot (activations and messages) of a micro-batch in flight
    void releaseSlot(Slot& slot);
    void finishSends();  // waits until the outputs and gradients of all slots have been sent
    // Frees all slots after an exception has interrupted the recording of a step.
    void abandonStep();
    std::vector<Slot>& allSlots() { return m_slots; }

    // Return the memory into which messages from other stages are received. incomingInput(): the previous stage's
    // output for `rows` samples. The other function: the gradient with respect to this stage's output, which the next
    // stage sends.
    Tensor incomingInput(const Slot& slot, std::int64_t rows) const;
    Tensor incomingGradient(const Slot& slot) const;

  private:
    static void finishSends(Slot& slot);

    std::size_t m_number;
    bool m_isLast;
    std::vector<Slot> m_slots;
    std::unique_ptr<ParameterStore> m_store;
};

}  // namespace ringside
