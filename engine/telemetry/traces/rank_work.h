// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "telemetry/traces/step_plan.h"

namespace ringside {

// Time in nanoseconds that a rank works in each phase, without waiting for other ranks.
using PhaseWork = std::array<double, kPhaseCount>;

// Returns the work time of each rank in a step.
std::vector<PhaseWork> workOf(const StepPlan& step);

// Assumed relative error of the time that is expected of a pipeline stage. The planned shares follow from the number of
// operations, not from the speed of each layer.
inline constexpr double kPlanError = 0.5;

// Settings of the time that is expected of a rank from the times of the other ranks.
struct ExpectedWork {
    double planError = 0;  // fraction of the expected time by which a forward or backward pass may exceed it
    double scale = 1;      // factor of the expected time of forward and backward passes
    // True: a rank with a smaller planned share is expected to be faster than the other ranks. False: as fast, because
    // each operation has costs that do not depend on the size of a stage.
    bool isFasterIfSmaller = false;
};

// Returns, for each phase, the time in nanoseconds by which `rank` works longer in a pipeline step than expected. The
// expected time is the median of the other ranks' work times, each scaled by the ratio of the planned shares.
// work: result of workOf().
PhaseWork excessWork(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank,
                     const ExpectedWork& expected = {});

// Returns how well the planned shares predict the other ranks' times in forward and backward passes. For each of these
// ranks, divides its time by the time expected from the remaining ranks; returns the largest factor, at least 1.
// Returns 1.5 if the step has fewer than three ranks, because then no ranks remain.
double largestPlanErrorFactor(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank);

// Shortens each phase of the rank by the rank's excess work in the phase, its longest spans first.
void removeWork(RankPlan& rank, const PhaseWork& excess);

// Returns the median of the values, of which there must be at least one; for an even number of values, the upper of the
// two middle values. Reorders the values.
double upperMedianOf(std::vector<double>& values);

}  // namespace ringside
