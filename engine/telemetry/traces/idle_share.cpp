// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/idle_share.h"

#include <algorithm>

namespace ringside {

std::vector<PassSpan> passesOf(const RankTrace& rank) {
    std::vector<PassSpan> passes;
    bool open = false;
    for (const Span& span : rank.spans) {
        const bool works = span.phase == Phase::kForward || span.phase == Phase::kBackward;
        const bool backward = span.phase == Phase::kBackward;
        if (works && !(open && passes.back().backward == backward)) {
            passes.push_back({backward, span.beginNs, span.endNs});
            open = true;
        }
        if (works) {
            passes.back().endNs = span.endNs;
            passes.back().busyNs += span.endNs - span.beginNs;
            // a pause does not end a forward or backward pass
        } else if (!isCommunication(span.phase) && span.phase != Phase::kPaused) {
            open = false;
        }
    }
    return passes;
}

PassesTime passesTime(const TracedStep& step) {
    PassesTime range;
    for (const RankTrace& rank : step.ranks) {
        const std::vector<PassSpan> passes = passesOf(rank);
        if (passes.empty()) continue;
        const bool first = range.endNs == 0;
        range.beginNs = first ? passes.front().beginNs : std::min(range.beginNs, passes.front().beginNs);
        range.endNs = std::max(range.endNs, passes.back().endNs);
    }
    return range;
}

bool wasPaused(const TracedStep& step) {
    return std::ranges::any_of(step.ranks,
                               [](const RankTrace& rank) { return timeOf(rank.times, Phase::kPaused) > 0; });
}

namespace {

std::optional<double> medianOf(std::vector<double> values) {
    if (values.empty()) return {};
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// Returns the length of the part of the interval [beginNs, endNs] that lies within the range.
std::int64_t within(const PassesTime& range, std::int64_t beginNs, std::int64_t endNs) {
    return std::max<std::int64_t>(0, std::min(endNs, range.endNs) - std::max(beginNs, range.beginNs));
}

// Returns the time within the range for which the training thread waits for collectives: the lengths of consecutive
// communication spans during which a collective is in progress. Messages between pipeline stages do not count as
// collectives.
std::int64_t collectiveNs(const RankTrace& rank, const PassesTime& range) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < rank.spans.size(); ++i) {
        if (!isCommunication(rank.spans[i].phase)) continue;
        const std::int64_t beginNs = rank.spans[i].beginNs;
        while (i + 1 < rank.spans.size() && isCommunication(rank.spans[i + 1].phase)) ++i;
        const std::int64_t endNs = rank.spans[i].endNs;
        const bool meets = std::ranges::any_of(
            rank.collectives, [&](const CollectiveSpan& one) { return one.readyNs < endNs && beginNs < one.endedNs; });
        if (meets) sum += within(range, beginNs, endNs);
    }
    return sum;
}

}  // namespace

std::optional<double> measuredIdleShare(const TraceData& trace, std::int64_t pipelineRanks) {
    std::vector<double> shares;
    for (const auto& [number, step] : trace.steps()) {
        const PassesTime range = passesTime(step);
        if (!step.complete() || wasPaused(step) || range.endNs <= range.beginNs) continue;
        double busy = 0;
        double all = 0;
        for (const RankTrace& rank : step.ranks) {
            for (const PassSpan& pass : passesOf(rank)) busy += static_cast<double>(pass.busyNs);
            all += static_cast<double>(range.endNs - range.beginNs - collectiveNs(rank, range));
        }
        if (all > 0) shares.push_back(pipelineRanks > 1 ? std::max(0.0, 1 - busy / all) : 0);
    }
    return medianOf(std::move(shares));
}

std::optional<double> typicalStepSeconds(const TraceData& trace) {
    std::vector<double> seconds;
    for (const auto& [number, step] : trace.steps())
        if (step.complete() && !wasPaused(step))
            seconds.push_back(static_cast<double>(step.endNs - step.beginNs) / 1e9);
    return medianOf(std::move(seconds));
}

}  // namespace ringside
