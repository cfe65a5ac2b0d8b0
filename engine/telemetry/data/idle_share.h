// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/data/trace_data.h"

namespace ringside {

// A forward or backward pass as it went, between two of the training thread's other doings; waiting within it counts.
struct PassSpan {
    bool backward = false;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t busyNs = 0;  // without what it waited in it
};

std::vector<PassSpan> passesOf(const RankTrace& rank);

// From the first forward pass of a step on any rank to the end of its last backward pass; both 0: it has none.
struct PassesRange {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
};
PassesRange passesRange(const TracedStep& step);

// Whether ranks were held within the step or rested at its parts, to be looked at: how long it took says nothing then.
bool wasHeld(const TracedStep& step);

// Returns the share of the passes' time in which the average rank waits for other stages: of the time from the first
// forward pass of any rank to the last backward pass of any rank, without the rank's collectives, the part in which it
// is in neither pass. A rank that waits for a processor within a pass is in the pass. StepTime::idleShare() predicts
// it. The median of the complete traced steps that were not held. Without stages (pipelineRanks 1) the share is 0.
std::optional<double> measuredIdleShare(const TraceData& trace, std::int64_t pipelineRanks);

// How long such a step takes, from its first rank's begin to its last rank's end: the median.
std::optional<double> typicalStepSeconds(const TraceData& trace);

}  // namespace ringside
