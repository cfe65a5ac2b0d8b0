// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cost/cost_subject.h"
#include "cost/rank_memory.h"

namespace ringside {

// What of a rank's memory is in use while a step goes on. The engine takes all of it before the first step and never
// more; in use are activations between their forward and their backward pass, gathered units between gather and free.
struct MemoryMoment {
    double at = 0;  // in forward passes of the whole model on this rank, or of one micro-batch through a stage
    PredictedMemory inUse = {};
};

struct MemoryCurve {
    std::vector<MemoryMoment> moments = {};  // each until the next
    double end = 0;                          // of the step

    std::int64_t most() const;
    double mostAt() const;  // when it is reached first
};

// Forward passes take 1, backward ones 2; a pipeline follows its schedule, a model that is sharded its units.
MemoryCurve memoryOverStep(const CostSubject& subject, const StrategyPlan& plan, int rank);

}  // namespace ringside
