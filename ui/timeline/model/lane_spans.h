// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Time that a rank spends in one phase of a step without interruption, as shown in its lane.
struct LaneSpan {
    Phase phase = Phase::kIdle;
    int layer = -1;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    int waitsFor = -1;  // for a wait: rank that arrived last; -1: this rank waited for no other rank
};

// Returns the spans of a rank. Spans of one phase are merged if the gap between them is at most 20 us.
std::vector<LaneSpan> laneSpans(const TracedStep& step, std::size_t rank);

// Arrow from the rank that entered a collective last to a rank that waited for this last rank.
struct LaneArrow {
    int from = 0;
    int to = 0;
    std::int64_t sinceNs = 0;  // arrival of rank `to`, which waited, at the collective
    std::int64_t ns = 0;       // arrival of rank `from`, the last one, at the collective
};
std::vector<LaneArrow> laneArrows(const TracedStep& step);

// Returns the bucket number of a collective: its index among the collectives of the step; -1 if not known yet.
int bucketOf(const TracedStep& step, const CollectiveSpan& collective);

// Returns the largest delay of a rank behind the rank that arrived first, over all collectives of the step, in
// nanoseconds.
std::int64_t latenessOf(const TracedStep& step, std::size_t rank);

// Last known activity of a rank after its last traced step, in a run that is stalled or has failed.
struct OpenSpan {
    int rank = 0;
    Phase phase = Phase::kIdle;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::vector<int> waitsFor;
};
std::vector<OpenSpan> openSpans(const RunData& run);

}  // namespace ringside
