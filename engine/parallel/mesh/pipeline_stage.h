// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "nn/models/loss.h"
#include "nn/models/model_factory.h"
#include "parallel/parameters/parameter_store.h"

namespace ringside {

// What a stage is made of.
struct StageParts {
    const RunConfig& config;
    const ModelTask& task;
    Backend& backend;
    LayerRange range;
    std::size_t number = 0;
    std::size_t microBatches = 1;  // in flight at most
    std::int64_t maxRows = 1;      // of a micro-batch
    std::int64_t classes = 0;      // of the loss
    std::int64_t targets = 0;
    std::int64_t positions = 1;
    bool isLast = true;
    std::optional<ShardUnit> unit = {};  // unit of the gathering; none: the rank holds the parameters whole
};

// Some layers of the model on this rank, for as many micro-batches as are in flight: each has activations of its own,
// all share values and gradients.
class PipelineStage {
  public:
    // A micro-batch on its way through the stage.
    struct Slot {
        std::unique_ptr<Model> model;
        std::vector<Unit*> units;    // within the range
        std::unique_ptr<Loss> loss;  // of the last stage
        Tensor input;                // received; empty in the first stage
        Tensor gradOutput;           // received; empty in the last stage
        Tensor y;                    // of the last forward pass
        Tensor gradX;                // of the last backward pass
        CommHandle sentForward;
        CommHandle sentBackward;
        int microBatch = -1;  // whose it is; -1: free
    };

    explicit PipelineStage(const StageParts& parts);

    std::size_t number() const { return m_number; }
    bool isFirst() const { return m_number == 0; }
    bool isLast() const { return m_isLast; }
    Model& model() { return *m_slots.front().model; }
    std::vector<Model*> models();
    std::vector<std::vector<Unit*>> units();
    void setStore(std::unique_ptr<ParameterStore> store) { m_store = std::move(store); }
    ParameterStore& store() { return *m_store; }

    Slot& take(int microBatch);  // a free one
    Slot& of(int microBatch);    // the one that has it
    void release(Slot& slot);

    // What another stage is sent: the stage's output for so many rows, or the gradient by it.
    Tensor incoming(const Slot& slot, std::int64_t rows) const;
    Tensor incomingGradient(const Slot& slot) const;

  private:
    std::size_t m_number;
    bool m_isLast;
    std::vector<Slot> m_slots;
    std::unique_ptr<ParameterStore> m_store;
};

}  // namespace ringside
