// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/data/step_plan.h"
#include "telemetry/data/step_replay.h"

namespace ringside {

// The plan of a step with the change made. others: plans of other steps, from which further ranks take their work.
void applyChange(const StepChange& change, StepPlan& step, const std::vector<const StepPlan*>& others);

}  // namespace ringside
