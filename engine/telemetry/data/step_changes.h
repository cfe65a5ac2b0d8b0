// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "telemetry/data/step_plan.h"
#include "telemetry/data/step_replay.h"

namespace ringside {

// Returns the reason if recorded steps say nothing about the change, else an empty text.
std::string whyNoAnswer(const StepChange& change, const TracedStep& step);

// Nanoseconds of a rank's own work by phase.
using PhaseWork = std::array<double, kPhaseCount>;

std::vector<PhaseWork> workOf(const StepPlan& step);

// Returns by how much the work of a rank of a pipeline, given by workOf(), exceeds what the others' times and the
// planned shares allow. A pass may exceed them by planError times.
PhaseWork excessWork(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank, double planError = 0);

// Takes so much work out of each phase of the rank, out of its longest pieces first.
void removeWork(RankPlan& rank, const PhaseWork& excess);

// The plan of a step with the change made, which whyNoAnswer() must allow. others: plans of other steps, from which
// further ranks take their work.
void applyChange(const StepChange& change, StepPlan& step, const std::vector<const StepPlan*>& others);

}  // namespace ringside
