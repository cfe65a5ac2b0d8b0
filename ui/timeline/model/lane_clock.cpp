// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/model/lane_clock.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr double kLargestGap = 0.5;  // maximum length of a gap that is not shortened, divided by the length of a step
constexpr double kCutShown = 0.14;   // length of a shortened gap on the axis, divided by the length of a step
// length on the axis of the unfinished activity after the last step, divided by the length of a step
constexpr double kOpenShown = 0.9;
constexpr std::size_t kMaxSteps = 200;

struct Interval {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
};

// Returns the intervals of a step in which every known rank is paused, in order.
std::vector<Interval> commonPauses(const TracedStep& step) {
    std::vector<Interval> common{{step.beginNs, step.endNs}};
    for (const RankTrace& rank : step.ranks) {
        if (!rank.known) continue;
        std::vector<Interval> narrowed;
        for (const Span& span : rank.spans) {
            if (span.phase != Phase::kPaused) continue;
            for (const Interval& one : common) {
                const Interval both{std::max(one.beginNs, span.beginNs), std::min(one.endNs, span.endNs)};
                if (both.beginNs < both.endNs) narrowed.push_back(both);
            }
        }
        common = std::move(narrowed);
    }
    return common;
}

// Returns the median length of the latest steps without their pauses.
double typicalStep(const TraceData& trace) {
    std::vector<std::int64_t> lengths;
    for (auto step = trace.steps().rbegin(); step != trace.steps().rend() && lengths.size() < kMaxSteps; ++step) {
        std::int64_t length = step->second.endNs - step->second.beginNs;
        for (const Interval& pause : commonPauses(step->second)) length -= pause.endNs - pause.beginNs;
        lengths.push_back(length);
    }
    if (lengths.empty()) return 1e6;
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    return std::max(1e3, static_cast<double>(*middle));
}

}  // namespace

void LaneClock::read(const TraceData& trace) {
    m_stretches.clear();
    m_openUntilNs = -1;
    m_openShown = 0;
    m_stepNs = typicalStep(trace);
    std::int64_t before = 0;  // number of the previous step
    for (const auto& [number, step] : trace.steps()) {
        // Skips a step that no rank has finished: the lanes show such a step as activity after the last step, see
        // setOpenEnd().
        if (std::ranges::none_of(step.ranks, &RankTrace::known)) continue;
        if (m_stretches.empty()) {
            m_stretches.push_back({step.beginNs, step.endNs, 0, number, number, 0, 0});
        } else {
            Stretch& last = m_stretches.back();
            const std::int64_t gap = step.beginNs - last.endNs;
            const bool follows = number == before + 1 && static_cast<double>(gap) <= kLargestGap * m_stepNs;
            if (follows || gap <= 0) {
                last.endNs = std::max(last.endNs, step.endNs);
                last.lastStep = number;
            } else {
                m_stretches.push_back({step.beginNs, step.endNs, last.shownEnd() + kCutShown * m_stepNs, number, number,
                                       number - before - 1, gap});
            }
        }
        cutPauses(number, step);
        before = number;
    }
}

// Removes long pauses of `step` from the shown time. Wherever all ranks were paused for more than kLargestGap (0.5) of
// the typical length of a step, the last stretch (part of the time axis without a cut) ends at the begin of the pause,
// and a new stretch begins at its end.
void LaneClock::cutPauses(std::int64_t number, const TracedStep& step) {
    for (const Interval& pause : commonPauses(step)) {
        const std::int64_t length = pause.endNs - pause.beginNs;
        if (static_cast<double>(length) <= kLargestGap * m_stepNs || pause.beginNs <= m_stretches.back().beginNs)
            continue;
        const std::int64_t endNs = m_stretches.back().endNs;
        m_stretches.back().endNs = pause.beginNs;
        m_stretches.push_back({pause.endNs, endNs, m_stretches.back().shownEnd() + kCutShown * m_stepNs, number, number,
                               0, length, true});
    }
}

void LaneClock::setOpenEnd(std::int64_t untilNs) {
    const bool open = !empty() && untilNs > m_stretches.back().endNs;
    m_openUntilNs = open ? untilNs : -1;
    m_openShown = open ? kOpenShown * m_stepNs : 0;
}

double LaneClock::endShown() const {
    return empty() ? 0 : m_stretches.back().shownEnd();
}

double LaneClock::shownAt(std::int64_t ns) const {
    if (empty()) return 0;
    const auto after = std::ranges::upper_bound(m_stretches, ns, {}, &Stretch::beginNs);
    if (after == m_stretches.begin())
        return m_stretches.front().shown - static_cast<double>(m_stretches.front().beginNs - ns);
    const Stretch& at = *(after - 1);
    const double shown = at.shown + static_cast<double>(ns - at.beginNs);
    if (after != m_stretches.end()) return std::min(shown, after->shown);
    if (ns <= at.endNs || m_openUntilNs < 0) return shown;
    const double share = static_cast<double>(ns - at.endNs) / static_cast<double>(m_openUntilNs - at.endNs);
    return at.shownEnd() + std::min(1.0, share) * m_openShown;
}

std::int64_t LaneClock::timeAt(double shown) const {
    if (empty()) return 0;
    const auto after = std::ranges::upper_bound(m_stretches, shown, {}, &Stretch::shown);
    const Stretch& at = after == m_stretches.begin() ? m_stretches.front() : *(after - 1);
    const std::int64_t ns = at.beginNs + static_cast<std::int64_t>(shown - at.shown);
    return after == m_stretches.end() ? ns : std::min(ns, std::max(at.endNs, at.beginNs));
}

}  // namespace ringside
