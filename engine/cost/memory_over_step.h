// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cost/rank_memory.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Memory of a rank that is in use at one moment of a step. The engine allocates all memory before the first step;
// activations are in use between their forward and backward pass, gathered units (fsdp.unit) between their gathering
// and freeing.
struct MemoryMoment {
    // Time since the start of the step. Its unit is the duration of one forward pass: of the whole model, of one unit
    // (fsdp.unit) if the model is sharded, or of one micro-batch in one stage if there is a pipeline.
    double at = 0;
    PredictedMemory inUse = {};
};

// Memory of a rank over a step, as a step function of time.
struct MemoryCurve {
    std::vector<MemoryMoment> moments = {};  // moments at which the memory changes, in order of time
    double end = 0;                          // end of the step, in the unit of MemoryMoment::at

    // Returns the largest memory in use, in bytes.
    std::int64_t peakBytes() const;
    double peakTime() const;  // returns the time at which the memory in use first reaches peakBytes()
};

// Returns the memory in use during a step. A forward pass takes one unit of time, a backward pass two. In a pipeline
// the curve follows the schedule; in a sharded model it follows the units.
MemoryCurve memoryOverStep(const PlanSubject& subject, const StrategyPlan& plan, int rank);

}  // namespace ringside
