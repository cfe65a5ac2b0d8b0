// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cost/cost_subject.h"

namespace ringside {

// What a rank's engine takes on the CPU, in bytes by what it is for, in the classes in which it counts.
struct PredictedMemory {
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;
    std::int64_t activations = 0;
    std::int64_t gathered = 0;
    std::int64_t buffers = 0;

    std::int64_t peak() const { return parameters + gradients + optimizer + activations + gathered + buffers; }
    bool operator==(const PredictedMemory&) const = default;
};

PredictedMemory predictMemory(const CostSubject& subject, const StrategyPlan& plan, int rank);

// Of how many micro-batches at once this rank keeps activations, over its stages.
std::size_t activationsInFlight(const StrategyPlan& plan, int rank);

// Bytes of the gradient buckets that a stage's parameters travel in, each tensor in whole lines of 64 bytes; the last
// bucket also carries a signal.
std::vector<std::int64_t> bucketBytes(const std::vector<TensorSize>& parameters, const ParallelConfig& config);

// Units in which a stage's parameters are gathered: those of each; the first holds what is in none.
std::vector<std::vector<TensorSize>> unitsOf(const CostSubject& subject, const StrategyPlan& plan, std::size_t stage);

// Values of a parameter that a rank holds, with padding.
inline std::int64_t chunkOf(const TensorSize& one, std::int64_t ranks) {
    return (one.rows + ranks - 1) / ranks * one.rowValues();
}

// What fully_shard keeps and frees.
struct ShardingChoice {
    bool freesParameters = true;
    bool keepsGradients = false;
    bool prefetches = true;
};
ShardingChoice shardingOf(const RunConfig& config, const StrategyPlan& plan);

}  // namespace ringside
