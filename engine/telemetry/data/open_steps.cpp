// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/open_steps.h"

#include <algorithm>

namespace ringside {
namespace {

bool isOut(const RankData& rank) {
    return rank.state == RankStage::kFinished || rank.state == RankStage::kStopped;
}

// For one rank: `whole` is the last step whose complete trace was received; `open` is a later step of which only an
// unfinished trace was received. Null if there is no such step.
struct LastTraces {
    const TracedStep* whole = nullptr;
    const TracedStep* open = nullptr;
};

LastTraces lastTraces(const TraceData& traces, std::size_t rank) {
    LastTraces last;
    for (auto step = traces.steps().rbegin(); step != traces.steps().rend(); ++step) {
        const RankTrace& one = step->second.ranks[rank];
        if (one.known) {
            last.whole = &step->second;
            return last;
        }
        if (last.open == nullptr && !one.spans.empty()) last.open = &step->second;
    }
    return last;
}

OpenStep positionFromTrace(int rank, const TracedStep& step) {
    const Span& span = step.ranks[static_cast<std::size_t>(rank)].spans.back();
    return {rank, step.step, step.epoch, span.phase, span.beginNs, true};
}

// Derives the position of a rank from its last heartbeat. Ignores a heartbeat that was sent before the end of `last`,
// the rank's last completely traced step.
OpenStep positionFromHeartbeat(int rank, const RankData& data, const TracedStep& last) {
    const std::int64_t endNs = last.ranks[static_cast<std::size_t>(rank)].endNs;
    OpenStep open{rank, std::max(data.step, last.step) + 1, std::max(data.epoch, last.epoch), Phase::kIdle, endNs};
    if (data.beatUs * 1000 <= endNs || !data.phase || *data.phase == Phase::kConnect) return open;
    open.phase = *data.phase;
    open.beginNs = std::max(endNs, (data.beatUs - data.stalledUs) * 1000);
    return open;
}

}  // namespace

std::vector<OpenStep> openSteps(const RunData& run) {
    std::vector<OpenStep> all;
    if (!run.trace()) return all;
    const std::size_t ranks = std::min(run.ranks().size(), run.trace()->worldSize());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const RankData& data = run.ranks()[rank];
        const LastTraces last = lastTraces(*run.trace(), rank);
        if (isOut(data)) continue;
        if (last.open != nullptr) {
            all.push_back(positionFromTrace(static_cast<int>(rank), *last.open));
        } else if (last.whole != nullptr) {
            all.push_back(positionFromHeartbeat(static_cast<int>(rank), data, *last.whole));
        }
    }
    return all;
}

StepTrace traceOf(const OpenStep& open) {
    StepTrace trace;
    trace.rank = open.rank;
    trace.step = open.step;
    trace.epoch = open.epoch;
    trace.beginNs = open.beginNs;
    trace.lengthNs = -1;
    trace.phase = {static_cast<std::int64_t>(open.phase)};
    trace.at = {0};
    trace.cpu = {0};
    return trace;
}

}  // namespace ringside
