// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "nn/blocks/unit.h"
#include "nn/models/model.h"
#include "parallel/parameters/parameter_store.h"

namespace ringside {

// Options of a ShardedParameters.
struct ShardingOptions {
    // Frees whole parameters between their uses, as reshard_after_forward (ZeRO-3). If false, whole parameters stay in
    // memory until the update.
    bool freesParameters = true;
    bool keepsGradients = false;  // true: whole gradients are kept during the step (ZeRO-1)
    bool prefetches = true;
    int keptLevels = 0;   // number of partial sums of gradients that are kept for later backward passes of the same
                          // step
    bool inTree = false;  // true: gradients are parts of a sum that the ranks add in a tree (ReducerOptions::inTree)
};

// torch.distributed.fsdp.fully_shard: each rank holds some rows of each parameter by torch.chunk's rule: ceil(rows / N)
// on the first ranks, padded to this size on all ranks. The parameters of a unit are gathered before it computes; its
// gradients are averaged and scattered after its backward pass. A gathered parameter is the concatenation of the ranks'
// chunks, so that no values are copied. Each gradient is multiplied by float(1/N) and then summed by rank, as in DDP.
//
// If a unit has separate memory for whole values or whole gradients, this rank's shard is a view into it. All other
// units share a pool: two whole units of values (one without prefetching), one of gradients.
class ShardedParameters final : public ParameterStore, public UnitHooks {
  public:
    // units: for each model, its units: layers whose parameters are gathered together. Parameters outside of all units
    // are gathered around each pass.
    ShardedParameters(const std::vector<Model*>& models, const std::vector<std::vector<Unit*>>& units,
                      Communicator& shard, Communicator& data, Backend& backend, const ShardingOptions& options);

    const std::vector<Parameter*>& trained() const override { return m_trained; }
    std::size_t parameterOf(std::size_t trained) const override { return m_trainedOf[trained]; }
    void initialise(std::int64_t seed) override;
    void beginForward() override { enter(0, Way::kForward); }
    void endForward() override { leave(0, Way::kForward); }
    void beginBackward(const PassPlace& place) override;
    void ready(std::size_t) override {}
    void endBackward(bool complete) override;
    void finish() override;
    void updated() override;
    void abandonStep() override;
    void gather(std::size_t parameter, const Tensor& own, std::vector<float>& whole) override;
    void scatter(std::size_t parameter, std::span<const float> whole, const Tensor& own) override;
    Tensor own(std::size_t parameter) const override { return m_parts[parameter].shard.value; }
    Tensor ownGradient(std::size_t parameter) const override { return m_parts[parameter].shard.gradient; }
    RowRange ownRows(std::size_t parameter) const override;
    void watch(OwnGradient own) override { m_own = std::move(own); }
    bool ownsDistinctPart() const override { return true; }

    void enter(std::size_t unit, Way way) override;
    void leave(std::size_t unit, Way way) override;

  private:
    // A parameter's part on this rank and its position in the memory of its unit (the layers that are gathered
    // together).
    struct Part {
        Shape shape;
        // Number of values in a row; a row has one index of the first dimension of the parameter.
        std::size_t valuesPerRow = 1;
        std::size_t chunk = 0;       // number of values of the parameter that each rank stores, with padding
        std::size_t ownValues = 0;   // number of values of the parameter that this rank stores, without padding
        std::size_t wholePlace = 0;  // offset of the parameter in the unit's whole memory
        std::span<float> values;     // values of this rank (`chunk` of them): a view into the unit's memory, or
                                     // separate memory
        std::span<float> gradients;  // gradients of this rank, in the same layout as `values`
        Parameter shard;             // parameter that the optimizer updates: this rank's part
    };
    // Memory in a pool, which units (layers that are gathered together) use in turn.
    struct Memory {
        std::span<float> values;
        int unit = -1;  // number of the unit (layers that are gathered together) that uses this memory; -1: free
    };
    // Parameters of a unit (layers that are gathered and reduced together, fsdp.unit) and their memory.
    struct UnitState {
        std::vector<std::size_t> parameters;
        std::size_t wholeCount = 0;
        std::span<float> values;     // whole values of the parameter, while resident or being gathered
        std::span<float> gradients;  // whole gradients of the parameter, during the backward pass
        std::vector<Tensor> kept;    // sums of the gradients of earlier backward passes, by level of the tree sum
        bool resident = false;       // true if the parameters are gathered or being gathered
        bool closed = true;          // true if the unit's gradients of this pass have been kept or reduced
        std::vector<CommHandle> gathering;
        std::vector<CommHandle> scattering;
    };

    // Memory of a unit (layers that are gathered together) for whole values or gradients.
    struct Whole {
        std::span<float> values;
        bool exists = false;  // true if the unit has memory of its own; false if it uses memory of the pool
    };

    std::span<float> take(std::size_t count);
    void takePools();
    void plan(const std::vector<std::vector<Unit*>>& units);
    void placeUnit(UnitState& unit);
    Whole takeWhole(const UnitState& unit, bool own, bool stays, MemoryClass state);
    std::span<float> shardOf(const Part& part, const Whole& whole, MemoryClass state);
    void bindBuffers();
    void bindValues(const UnitState& unit);
    void bindGradients(UnitState& unit, std::size_t number);
    void startGather(std::size_t number);
    void closeUnit(std::size_t number);
    void reduceUnit(UnitState& unit);
    void keepOwnRows(UnitState& unit);
    std::span<float> wholeGradient(const UnitState& unit, const Part& part) const;
    std::span<float> takeMemory(std::vector<Memory>& pool, int unit);
    void releaseMemory(std::vector<Memory>& pool, int unit);
    Tensor vectorOf(std::span<float> values) const;

    std::vector<Model*> m_models;
    Communicator& m_shard;
    Communicator& m_data;
    Backend& m_backend;
    ShardingOptions m_options;
    float m_share;
    ReduceOp m_op;
    std::vector<Part> m_parts;
    std::vector<UnitState> m_units;  // state of each unit; the first entry contains the parameters outside of all units
    std::vector<Parameter*> m_trained;
    std::vector<std::size_t> m_trainedOf;
    std::vector<Memory> m_valuePool;
    std::vector<Memory> m_gradientPool;
    std::vector<CollectiveCall> m_calls;  // collectives of one unit (layers that are gathered together); a member
                                          // variable, so that a step allocates no memory
    PassPlace m_place;
    OwnGradient m_own;
};

}  // namespace ringside
