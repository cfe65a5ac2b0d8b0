// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "telemetry/data/step_plan.h"
#include "telemetry/data/step_replay.h"

namespace ringside {

// Returns the reason if recorded steps say nothing about the change, else an empty text.
std::string whyNoAnswer(const StepChange& change, const TracedStep& step);

// Shortens the work of a rank of a pipeline, phase by phase, to what the others' times and the planned shares allow.
// Leaves a pass alone that exceeds them by at most planError times. Returns the nanoseconds of work that it removed.
double removeDelay(StepPlan& step, std::size_t rank, double planError = 0);

// The plan of a step with the change made, which whyNoAnswer() must allow. others: plans of other steps, from which
// further ranks take their work.
void applyChange(const StepChange& change, StepPlan& step, const std::vector<const StepPlan*>& others);

}  // namespace ringside
