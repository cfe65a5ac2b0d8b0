// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "telemetry/data/step_plan.h"

namespace ringside {

// Nanoseconds of a rank's own work by phase.
using PhaseWork = std::array<double, kPhaseCount>;

// Returns the work of each rank in a step.
std::vector<PhaseWork> workOf(const StepPlan& step);

// Returns by how much a pipeline rank's work exceeds what the other ranks' times and the planned shares allow. work:
// result of workOf(). Forward and backward passes are ignored if they exceed the allowed time by at most the share
// planError.
PhaseWork excessWork(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank, double planError = 0);

// Removes the excess from each phase of the rank, from its longest pieces first.
void removeWork(RankPlan& rank, const PhaseWork& excess);

// Returns the upper median of at least one value, and reorders the values.
double upperMedianOf(std::vector<double>& values);

}  // namespace ringside
