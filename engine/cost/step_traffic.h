// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plan/strategy_plan.h"

namespace ringside {

// Bytes that a rank sends in a step with full batches, counted like Communicator::bytesSent(): a ring sends 2 (N-1)/N
// of an all-reduced buffer and (N-1)/N of a gathered or scattered one. Excludes norms that are measured in some steps
// only.
struct StepTraffic {
    std::int64_t gradients = 0;
    std::int64_t parameters = 0;   // bytes of gathered parameters
    std::int64_t activations = 0;  // bytes of activations to the next stage and gradients to the previous one
    std::int64_t rest = 0;         // bytes of losses and of norms for gradient clipping
    int collectives = 0;
    int messages = 0;

    std::int64_t total() const { return gradients + parameters + activations + rest; }
    bool operator==(const StepTraffic&) const = default;
};

// Predicts the traffic of a rank from the sizes of tensors and buckets.
StepTraffic predictTraffic(const PlanSubject& subject, const StrategyPlan& plan, int rank);

// Returns the bytes of activations that a stage sends to the next stage in a step. The next stage sends as many bytes
// of gradients back.
std::int64_t stageOutputBytes(const PlanSubject& subject, const StrategyPlan& plan, std::size_t stage);

}  // namespace ringside
