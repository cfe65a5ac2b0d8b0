// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Forward or backward pass of a rank. Its begin and end include the time that the rank waits within the pass.
struct PassSpan {
    bool backward = false;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    // computing time in nanoseconds, that is, without the time that the rank waits within the pass
    std::int64_t busyNs = 0;
};

// Returns the passes of a rank in ascending order of time.
std::vector<PassSpan> passesOf(const RankTrace& rank);

// Time from the start of a step's first forward pass on any rank to the end of its last backward pass on any rank, in
// nanoseconds. Both values are 0 if the step has no passes.
struct PassesTime {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
};
PassesTime passesTime(const TracedStep& step);

// True if ranks were paused within the step. The length of such a step is meaningless.
bool wasPaused(const TracedStep& step);

// Returns the share of time (0 to 1) in which the average rank waits for other pipeline stages. StepTime::idleShare()
// predicts this value.
//
// The share refers to the time from the first forward pass of any rank to the last backward pass of any rank, without
// the time that the rank spends in collectives. A rank is idle in this time while it computes no pass. A rank that
// waits for a CPU within a pass is not idle. The result is the median over the complete traced steps without a pause.
// The share is 0 if there is only one stage (pipelineRanks 1).
std::optional<double> measuredIdleShare(const TraceData& trace, std::int64_t pipelineRanks);

// Returns the median length of the traced steps in seconds. A step lasts from its first start on any rank to its last
// end on any rank.
std::optional<double> typicalStepSeconds(const TraceData& trace);

}  // namespace ringside
