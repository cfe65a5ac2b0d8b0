// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "telemetry/traces/step_plan.h"
#include "whatif/step_replay.h"

namespace ringside {

// Estimate of the time that a pipeline stage needs without a delay. The planned shares of the stages are computed from
// numbers of operations and not from measured times, so a prediction also uses the shortest and the longest likely time
// of the stage.
enum class StageTime { kShortest, kPlanned, kLongest };

// Returns the reason why the recorded step cannot be used to predict the effect of the change; empty if it can.
std::string reasonNotPredictable(const StepChange& change, const TracedStep& step);

// Applies the change to the plan of a step. Must be called only if reasonNotPredictable() returns an empty text for the
// change. others: plans of other steps; ranks that the change adds get the work of these steps.
void applyChange(const StepChange& change, StepPlan& step, const std::vector<const StepPlan*>& others,
                 StageTime stageTime);

}  // namespace ringside
