// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/model/lane_spans.h"

#include <algorithm>
#include <cstdlib>

#include "telemetry/data/missing_ranks.h"
#include "telemetry/data/open_steps.h"

namespace ringside {
namespace {

// Returns the rank that ended a wait: the last to arrive at the collective whose last arrival is nearest to the end of
// the wait.
int rankThatEndedWait(const TracedStep& step, std::size_t rank, const LaneSpan& wait) {
    const CollectiveArrivals* nearest = nullptr;
    for (const CollectiveArrivals& meeting : step.arrivals) {
        if (rank >= meeting.arrivedNs.size() || meeting.arrivedNs[rank] < 0) continue;
        if (meeting.lastNs < wait.beginNs || meeting.arrivedNs[rank] > wait.endNs) continue;
        if (nearest == nullptr || std::abs(meeting.lastNs - wait.endNs) < std::abs(nearest->lastNs - wait.endNs))
            nearest = &meeting;
    }
    return nearest == nullptr || nearest->lastRank == static_cast<int>(rank) ? -1 : nearest->lastRank;
}

}  // namespace

std::vector<LaneSpan> laneSpans(const TracedStep& step, std::size_t rank) {
    std::vector<LaneSpan> spans;
    for (const Span& span : step.ranks[rank].spans) {
        if (span.phase == Phase::kIdle || span.endNs <= span.beginNs) continue;
        const bool same = !spans.empty() && spans.back().phase == span.phase && spans.back().layer == span.layer;
        // Joins two spans of the same phase and layer if the gap between them is at most 20 us, which is less than a
        // pixel at usual zoom levels.
        if (same && span.beginNs - spans.back().endNs <= 20'000) {
            spans.back().endNs = span.endNs;
        } else {
            spans.push_back({span.phase, span.layer, span.beginNs, span.endNs, -1});
        }
    }
    for (LaneSpan& span : spans)
        if (span.phase == Phase::kWaiting) span.waitsFor = rankThatEndedWait(step, rank, span);
    return spans;
}

std::vector<LaneArrow> laneArrows(const TracedStep& step) {
    std::vector<LaneArrow> arrows;
    for (const CollectiveArrivals& meeting : step.arrivals) {
        for (std::size_t rank = 0; rank < meeting.arrivedNs.size(); ++rank) {
            if (meeting.arrivedNs[rank] < 0 || static_cast<int>(rank) == meeting.lastRank) continue;
            arrows.push_back({meeting.lastRank, static_cast<int>(rank), meeting.arrivedNs[rank], meeting.lastNs});
        }
    }
    return arrows;
}

int bucketOf(const TracedStep& step, const CollectiveSpan& collective) {
    const auto found = std::ranges::find_if(step.arrivals, [&](const CollectiveArrivals& meeting) {
        return meeting.group == collective.group && meeting.number == collective.number;
    });
    return found == step.arrivals.end() ? -1 : found->bucket;
}

std::int64_t latenessOf(const TracedStep& step, std::size_t rank) {
    std::int64_t most = 0;
    for (const CollectiveArrivals& meeting : step.arrivals) {
        if (rank >= meeting.arrivedNs.size() || meeting.arrivedNs[rank] < 0) continue;
        std::int64_t first = meeting.lastNs;
        for (const std::int64_t arrived : meeting.arrivedNs)
            if (arrived >= 0) first = std::min(first, arrived);
        most = std::max(most, meeting.arrivedNs[rank] - first);
    }
    return most;
}

std::vector<OpenSpan> openSpans(const RunData& run) {
    std::vector<OpenSpan> spans;
    const bool failed = run.ended() && run.ended()->state == RunOutcome::kFailed;
    const std::optional<MissingRanks> missingRanks = findMissingRanks(run.ranks());
    if (!failed && !missingRanks) return spans;
    const std::int64_t untilNs = run.lastTimeUs() * 1000;
    const int missing = run.ended() ? run.ended()->firstFailedRank : -1;
    for (const OpenStep& open : openSteps(run)) {
        OpenSpan span{open.rank, open.phase, open.beginNs, untilNs, {}};
        if (span.beginNs >= untilNs) continue;
        if (missingRanks && std::ranges::find(missingRanks->waiting, span.rank) != missingRanks->waiting.end()) {
            span.waitsFor = missingRanks->missing;
        } else if (failed && missing >= 0 && missing != span.rank && isCommunication(span.phase)) {
            span.waitsFor = {missing};
        }
        if (!span.waitsFor.empty()) span.phase = Phase::kWaiting;
        spans.push_back(std::move(span));
    }
    return spans;
}

}  // namespace ringside
