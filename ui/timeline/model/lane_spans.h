// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// What a lane shows of one rank in one step.
struct LaneSpan {
    Phase phase = Phase::kIdle;
    int layer = -1;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    int waitsFor = -1;  // of a wait: the rank that came last; -1: none other
};

// Neighbours of one phase as one, the trainer's own moments between them left out.
std::vector<LaneSpan> laneSpans(const TracedStep& step, std::size_t rank);

// From the rank that came last to one that waited for it.
struct LaneArrow {
    int from = 0;
    int to = 0;
    std::int64_t sinceNs = 0;  // the other had come
    std::int64_t ns = 0;       // the last came
};
std::vector<LaneArrow> laneArrows(const TracedStep& step);

// Which bucket of its step a collective is; -1 where that is not known yet.
int bucketOf(const TracedStep& step, const CollectiveSpan& collective);

// How much later than the first a rank came to the step's collectives, at most, in nanoseconds.
std::int64_t latenessOf(const TracedStep& step, std::size_t rank);

// Behind a rank's last traced step: what it was seen to do since, in a run that stands still or has ended badly.
struct OpenSpan {
    int rank = 0;
    Phase phase = Phase::kIdle;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::vector<int> waitsFor;
};
std::vector<OpenSpan> openSpans(const RunData& run);

}  // namespace ringside
