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

// Options of ShardedParameters.
struct ShardingOptions {
    // true: the memory of whole parameters is freed between their uses, as with reshard_after_forward (ZeRO-3); false:
    // whole parameters stay in memory until the update
    bool freesParameters = true;
    // true: whole gradients have their own memory, which exists during the whole step (ZeRO-1)
    bool keepsGradients = false;
    bool prefetches = true;
    // number of gradient sums that are kept until later backward passes of the step are added to them: one for each
    // level of the tree sum
    int keptLevels = 0;
    // true: the ranks add their gradients in a binary tree and do not divide by the number of ranks
    // (ReducerOptions::inTree)
    bool inTree = false;
};

// torch.distributed.fsdp.fully_shard: each of N ranks holds a shard of each parameter.
//
// A shard consists of ceil(rows / N) rows of the parameter, as with torch.chunk, and is padded to this size on the last
// ranks. A unit is a group of layers whose parameters are gathered together: they are gathered before the unit
// computes, and their gradients are averaged and scattered after its backward pass. A gathered parameter is the
// concatenation of the ranks' shards, so that no values are copied. Each gradient is multiplied by float(1/N) and then
// summed in the order of the ranks, as in DDP.
//
// If a unit has its own memory for whole values or whole gradients, this rank's shard is a view into it. All other
// units share pools: for the whole values of two units (of one without prefetching), and for the gradients of one unit.
class ShardedParameters final : public ParameterStore, public UnitHooks {
  public:
    // units: the units (layers whose parameters are gathered together) of each model. Parameters outside of all units
    // are gathered before each forward and backward pass.
    ShardedParameters(const std::vector<Model*>& models, const std::vector<std::vector<Unit*>>& units,
                      Communicator& shard, Communicator& data, Backend& backend, const ShardingOptions& options);

    const std::vector<Parameter*>& trained() const override { return m_trained; }
    std::size_t parameterOf(std::size_t trained) const override { return m_trainedOf[trained]; }
    void initialise(std::int64_t seed) override;
    void beginForward() override { enter(0, Way::kForward); }
    void endForward() override { leave(0, Way::kForward); }
    void beginBackward(const PassPosition& pass) override;
    void ready(std::size_t) override {}
    void endBackward(bool complete) override;
    void finish() override;
    void updated() override;
    void abandonStep() override;
    void gather(std::size_t parameter, const Tensor& own, std::vector<float>& whole) override;
    void scatter(std::size_t parameter, std::span<const float> whole, const Tensor& own) override;
    Tensor localValue(std::size_t parameter) const override { return m_parts[parameter].shard.value; }
    Tensor localGradient(std::size_t parameter) const override { return m_parts[parameter].shard.gradient; }
    RowRange localRows(std::size_t parameter) const override;
    void watch(OwnGradient own) override { m_own = std::move(own); }
    bool ownsDistinctPart() const override { return true; }

    void enter(std::size_t unit, Way way) override;
    void leave(std::size_t unit, Way way) override;

  private:
    // Shard of one parameter on this rank, and the position of the parameter in the memory of its unit (the layers
    // whose parameters are gathered together).
    struct Part {
        Shape shape;
        // Number of values per index of the parameter's first dimension.
        std::size_t valuesPerRow = 1;
        std::size_t chunk = 0;      // size of each rank's shard of the parameter in values, including padding
        std::size_t ownValues = 0;  // number of values in this rank's shard, without padding
        // offset of the parameter in the memory for the whole unit (layers whose parameters are gathered together), in
        // values
        std::size_t wholePlace = 0;
        std::span<float> values;     // values of this rank (`chunk` of them): a view into the unit's memory, or
                                     // separate memory
        std::span<float> gradients;  // gradients of this rank, in the same layout as `values`
        Parameter shard;             // shard of this rank as a parameter, which the optimizer updates
    };
    // Memory that several units (layers whose parameters are gathered together) use one after the other.
    struct Memory {
        std::span<float> values;
        int unit = -1;  // number of the unit (layers that are gathered together) that uses this memory; -1: free
    };
    // Parameters of a unit (layers that are gathered and reduced together, fsdp.unit) and their memory.
    struct UnitState {
        std::vector<std::size_t> parameters;
        std::size_t wholeCount = 0;
        std::span<float> values;     // whole values of the unit's parameters; empty if the unit uses the pool and is
                                     // not gathered
        std::span<float> gradients;  // whole gradients of the unit's parameters; empty if the unit uses the pool and is
                                     // not in its backward pass
        std::vector<Tensor> kept;    // sums of the gradients of earlier backward passes of the step, by level of the
                                     // tree sum
        bool resident = false;       // true if the whole values are in memory or are being gathered
        bool closed = true;          // true if the gradients of the current backward pass have been kept or averaged
        std::vector<CommHandle> gathering;
        std::vector<CommHandle> scattering;
    };

    // Memory of a unit (layers that are gathered together) for whole values or gradients.
    struct Whole {
        std::span<float> values;
        bool exists = false;  // true if the unit has memory of its own; false if it uses a pool
    };

    std::span<float> take(std::size_t count);
    void allocatePools();
    void plan(const std::vector<std::vector<Unit*>>& units);
    void allocateUnit(UnitState& unit);
    Whole allocateWhole(const UnitState& unit, bool own, bool stays, MemoryClass state);
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
    PassPosition m_pass;
    OwnGradient m_own;
};

}  // namespace ringside
