// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plan/strategy_plan.h"

namespace ringside {

// Predicted memory of a rank's engine on the CPU, in bytes, in the categories that the engine counts.
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

// Predicts the memory of a rank from the sizes of the built layers, without building the model.
PredictedMemory predictMemory(const PlanSubject& subject, const StrategyPlan& plan, int rank);

// Returns the largest number of micro-batches whose activations this rank keeps at the same time, summed over its
// stages.
std::size_t activationsInFlight(const StrategyPlan& plan, int rank);

// Returns the bytes of the gradient buckets of a stage, in the order in which they are sent. Each tensor is padded to
// 64 bytes; the last bucket also contains one 64-byte line for the signals that the ranks exchange in each step.
std::vector<std::int64_t> bucketBytes(const std::vector<TensorSize>& parameters, BucketLimits limits);

// Returns the units of a stage: parameters that are gathered together (fsdp.unit). The first unit contains the
// parameters that belong to no other unit.
std::vector<std::vector<TensorSize>> unitsOf(const StrategyPlan& plan, std::size_t stage);

// Returns the number of values of a parameter that each of `ranks` ranks holds if it is sharded, including padding.
inline std::int64_t shardValueCount(const TensorSize& one, std::int64_t ranks) {
    return (one.rows + ranks - 1) / ranks * one.valuesPerRow();
}

}  // namespace ringside
