// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "telemetry/traces/step_plan.h"

namespace ringside {

// Nanoseconds of a rank's own work by phase.
using PhaseWork = std::array<double, kPhaseCount>;

// Returns the work of each rank in a step.
std::vector<PhaseWork> workOf(const StepPlan& step);

// Returns, for each phase, the time by which a pipeline rank works longer than expected, in nanoseconds. The expected
// time is the median of the other ranks' times, each scaled by the ratio of the planned shares.
//
// work: result of workOf(). planError: forward and backward passes count only if they exceed the expected time by more
// than this share. scale: factor by which the expected time of these passes is multiplied.
PhaseWork excessWork(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank, double planError = 0,
                     double scale = 1);

// Returns how well the planned shares predict the times of the other ranks' passes: the largest factor, at least 1,
// between the time of the passes of a rank other than `rank` and the time expected from the rest. 1.5 if the step has
// fewer than three ranks, so that there is no rest.
double planErrorFactor(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank);

// Shortens each phase of the rank by its excess, from its longest spans first.
void removeWork(RankPlan& rank, const PhaseWork& excess);

// Returns the median of at least one value (of an even number, the upper one), and reorders the values.
double upperMedianOf(std::vector<double>& values);

}  // namespace ringside
