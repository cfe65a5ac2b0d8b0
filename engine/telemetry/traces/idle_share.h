// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// A forward or backward pass of a rank. The time that the rank waits within the pass is included.
struct PassSpan {
    bool backward = false;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t busyNs = 0;  // computing time in nanoseconds, without the time spent waiting within the pass
};

// Returns the passes of a rank in ascending order of time.
std::vector<PassSpan> passesOf(const RankTrace& rank);

// Time from the begin of a step's first forward pass on any rank to the end of its last backward pass on any rank.
// beginNs and endNs are 0 if the step has no passes.
struct PassesTime {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
};
PassesTime passesTime(const TracedStep& step);

// True if ranks were paused within the step. The length of such a step is meaningless.
bool wasPaused(const TracedStep& step);

// Returns the share of the passes' time in which the average rank waits for other stages. StepTime::idleShare()
// predicts this value.
//
// The passes' time of a rank lasts from the first forward pass of any rank to the last backward pass of any rank,
// without the time that the rank spends in collectives. Within this time a rank is idle while it is in neither pass; a
// rank that waits for a processor within a pass is not idle. The result is the median over the complete traced steps
// that were not paused. Without stages (pipelineRanks 1) the share is 0.
std::optional<double> measuredIdleShare(const TraceData& trace, std::int64_t pipelineRanks);

// Returns the median length of the steps in seconds. A step lasts from the first begin to the last end of any rank.
std::optional<double> typicalStepSeconds(const TraceData& trace);

}  // namespace ringside
