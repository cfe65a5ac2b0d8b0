// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/trace_data.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "telemetry/traces/stage_delays.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxPauses = 10'000;  // maximum number of intervals with pauses that are stored

// Converts the trace of an unfinished step; its last span has length zero.
RankTrace openTraceOf(const StepTrace& trace) {
    RankTrace rank;
    rank.beginNs = trace.beginNs;
    rank.queuedNs = trace.queuedNs;
    for (std::size_t i = 0; i < trace.phase.size(); ++i)
        rank.spans.push_back({static_cast<Phase>(trace.phase[i]), -1, trace.beginNs + trace.at[i],
                              trace.beginNs + trace.at[std::min(i + 1, trace.phase.size() - 1)], 0});
    rank.endNs = trace.phase.empty() ? trace.beginNs : rank.spans.back().endNs;
    return rank;
}

RankTrace rankTraceOf(const StepTrace& trace) {
    if (trace.lengthNs < 0) return openTraceOf(trace);
    RankTrace rank;
    rank.known = true;
    rank.beginNs = trace.beginNs;
    rank.endNs = trace.beginNs + trace.lengthNs;
    rank.cpuNs = trace.cpuNs;
    rank.queuedNs = trace.queuedNs;
    rank.times = phaseTimes(trace);
    for (std::size_t i = 0; i < trace.phase.size(); ++i) {
        const bool lasts = i + 1 == trace.phase.size();
        rank.spans.push_back({static_cast<Phase>(trace.phase[i]),
                              trace.layer.empty() ? -1 : static_cast<int>(trace.layer[i]), trace.beginNs + trace.at[i],
                              lasts ? rank.endNs : trace.beginNs + trace.at[i + 1],
                              (lasts ? trace.cpuNs : trace.cpu[i + 1]) - trace.cpu[i]});
    }
    for (std::size_t i = 0; i < trace.collective.size(); ++i) {
        rank.collectives.push_back({trace.group[i], trace.collective[i], static_cast<int>(trace.kind[i]),
                                    trace.bytes[i], trace.beginNs + trace.ready[i], trace.beginNs + trace.arrived[i],
                                    trace.last[i] < 0 ? -1 : trace.beginNs + trace.last[i],
                                    trace.beginNs + trace.ended[i]});
    }
    for (std::size_t i = 0; i < trace.message.size(); ++i) {
        rank.messages.push_back({static_cast<int>(trace.messagePeer[i]), trace.message[i], trace.messageBytes[i],
                                 trace.messageSent[i] != 0, trace.beginNs + trace.messageAt[i],
                                 trace.beginNs + trace.messageEnded[i]});
    }
    rank.planned = trace.planned;
    return rank;
}

void addTo(CollectiveArrivals& meeting, int rank, const CollectiveSpan& span) {
    meeting.arrivedNs[static_cast<std::size_t>(rank)] = span.arrivedNs;
    meeting.bytes = std::max(meeting.bytes, span.bytes);
    meeting.endedNs = std::max(meeting.endedNs, span.endedNs);
    if (meeting.lastRank >= 0 && span.arrivedNs <= meeting.lastNs) return;
    meeting.lastRank = rank;
    meeting.lastNs = span.arrivedNs;
}

// Returns the arrival time of the second-last rank; if only one rank takes part, the arrival time of this rank.
std::int64_t secondArrival(const CollectiveArrivals& meeting) {
    std::int64_t second = -1;
    for (std::size_t rank = 0; rank < meeting.arrivedNs.size(); ++rank)
        if (static_cast<int>(rank) != meeting.lastRank) second = std::max(second, meeting.arrivedNs[rank]);
    return second < 0 ? meeting.lastNs : second;
}

std::vector<CollectiveArrivals> meetingsOf(const TracedStep& step) {
    std::map<std::pair<std::int64_t, std::int64_t>, CollectiveArrivals> all;
    for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
        for (const CollectiveSpan& span : step.ranks[rank].collectives) {
            CollectiveArrivals& meeting = all[{span.group, span.number}];
            meeting.group = span.group;
            meeting.number = span.number;
            meeting.kind = span.kind;
            if (meeting.arrivedNs.empty()) meeting.arrivedNs.assign(step.ranks.size(), -1);
            addTo(meeting, static_cast<int>(rank), span);
        }
    }
    std::vector<CollectiveArrivals> arrivals;
    for (auto& [key, meeting] : all) {
        meeting.secondLastArrivalNs = secondArrival(meeting);
        arrivals.push_back(std::move(meeting));
    }
    std::ranges::stable_sort(arrivals, {}, &CollectiveArrivals::lastNs);
    for (std::size_t i = 0; i < arrivals.size(); ++i) arrivals[i].bucket = static_cast<int>(i);
    return arrivals;
}

bool hasMessages(const TracedStep& step) {
    return std::ranges::any_of(step.ranks, [](const RankTrace& rank) { return !rank.messages.empty(); });
}

StepMeasurements measurementsOf(const TracedStep& step) {
    StepMeasurements one;
    one.step = step.step;
    one.isPipeline = !step.delayCostNs.empty();
    one.isSharded = step.isSharded();
    std::vector<std::int64_t> lengths;
    for (const RankTrace& rank : step.ranks) {
        one.ranks.push_back({rank.times, std::max<std::int64_t>(rank.queuedNs, 0), 0, rank.planned});
        lengths.push_back(rank.endNs - rank.beginNs);
    }
    std::ranges::nth_element(lengths, lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2));
    one.lengthNs = lengths[lengths.size() / 2];
    for (const CollectiveArrivals& meeting : step.arrivals) {
        one.bytes += meeting.bytes;
        ++one.collectives;
        if (meeting.lastRank >= 0 && !one.isPipeline)
            one.ranks[static_cast<std::size_t>(meeting.lastRank)].lostNs +=
                meeting.lastNs - meeting.secondLastArrivalNs;
    }
    for (std::size_t rank = 0; rank < step.delayCostNs.size(); ++rank) one.ranks[rank].lostNs = step.delayCostNs[rank];
    return one;
}

}  // namespace

bool TracedStep::isSharded() const {
    constexpr int kAllGather = 2, kReduceScatter = 3;  // values of CollectiveKind
    return std::ranges::any_of(arrivals, [](const CollectiveArrivals& one) {
        return one.bytes > 0 && (one.kind == kAllGather || one.kind == kReduceScatter);
    });
}

TraceData::TraceData(int worldSize, std::size_t most)
    : m_worldSize(static_cast<std::size_t>(std::max(worldSize, 1))),
      m_most(std::clamp<std::size_t>(kMaxRankSteps / m_worldSize, 1, most)) {}

bool TraceData::apply(const StepTrace& trace) {
    if (trace.rank < 0 || static_cast<std::size_t>(trace.rank) >= m_worldSize || !trace.hasEqualColumnLengths())
        return false;
    if (m_steps.size() >= m_most && trace.step < m_steps.begin()->first) return false;
    TracedStep& step = m_steps[trace.step];
    if (step.ranks.empty()) {
        step.step = trace.step;
        step.epoch = trace.epoch;
        step.ranks.resize(m_worldSize);
        step.beginNs = std::numeric_limits<std::int64_t>::max();
        step.endNs = std::numeric_limits<std::int64_t>::min();
    }
    RankTrace& rank = step.ranks[static_cast<std::size_t>(trace.rank)];
    RankTrace received = rankTraceOf(trace);
    if (rank.known && !received.known)
        return true;  // an unfinished trace that arrives after the complete trace is ignored
    if (!rank.known && received.known) ++step.known;
    rank = std::move(received);
    step.beginNs = std::min(step.beginNs, rank.beginNs);
    step.endNs = std::max(step.endNs, rank.endNs);
    if (step.complete()) {
        step.arrivals = meetingsOf(step);
        if (hasMessages(step)) step.delayCostNs = delayCosts(step);
    }
    m_endNs = std::max(m_endNs, step.endNs);
    ++m_revision;
    while (m_steps.size() > m_most) m_steps.erase(m_steps.begin());
    return true;
}

void TraceData::apply(const Controlled& control) {
    if (control.command == ControlKind::kPause) addInterval(m_pausedAfter, control.step, control.step);
    if (control.command != ControlKind::kRate) return;
    if (m_slowAfter) addInterval(m_delayedAfter, *m_slowAfter, control.step);
    m_slowAfter.reset();
    if (control.value > 0) m_slowAfter = control.step;
}

void TraceData::addInterval(Intervals& intervals, std::int64_t first, std::int64_t last) {
    std::int64_t& end = intervals.try_emplace(first, last).first->second;
    end = std::max(end, last);
    if (intervals.size() > kMaxPauses) intervals.erase(intervals.begin());
}

bool TraceData::isIn(const Intervals& intervals, std::int64_t step) {
    return std::ranges::any_of(
        intervals, [step](const auto& interval) { return interval.first <= step && step <= interval.second; });
}

bool TraceData::isAfterPause(std::int64_t step) const {
    return isIn(m_pausedAfter, step - 1);
}

bool TraceData::isAfterSlowMotion(std::int64_t step) const {
    return (m_slowAfter && step > *m_slowAfter) || isIn(m_delayedAfter, step - 1);
}

const TracedStep* TraceData::find(std::int64_t step) const {
    const auto found = m_steps.find(step);
    return found == m_steps.end() ? nullptr : &found->second;
}

const TracedStep* TraceData::at(std::int64_t timeNs) const {
    const TracedStep* best = nullptr;
    for (auto step = m_steps.rbegin(); step != m_steps.rend(); ++step) {
        best = &step->second;
        if (best->beginNs <= timeNs) break;
    }
    return best;
}

TraceData TraceData::latest(std::size_t most) const {
    TraceData copy(static_cast<int>(m_worldSize), most);
    for (auto step = m_steps.rbegin(); step != m_steps.rend() && copy.m_steps.size() < most; ++step)
        if (step->second.complete()) copy.m_steps.insert(*step);
    copy.m_pausedAfter = m_pausedAfter;
    copy.m_delayedAfter = m_delayedAfter;
    copy.m_slowAfter = m_slowAfter;
    copy.m_endNs = m_endNs;
    copy.m_revision = m_revision;
    return copy;
}

StepsVerdict TraceData::verdict(std::size_t most) const {
    std::vector<StepMeasurements> steps;
    for (auto step = m_steps.rbegin(); step != m_steps.rend() && steps.size() < most; ++step)
        if (step->second.complete()) steps.push_back(measurementsOf(step->second));
    std::ranges::reverse(steps);
    return judgeSteps(steps);
}

}  // namespace ringside
