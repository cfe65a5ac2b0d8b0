// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/step_trace.h"

#include <algorithm>

namespace ringside {
namespace {

// Interval of time in nanoseconds from the start of the step.
struct Stretch {
    std::int64_t from = 0;
    std::int64_t to = 0;
};

// Returns the intervals in which at least one collective transferred data: disjoint and in ascending order.
std::vector<Stretch> movingStretches(const StepTrace& trace) {
    std::vector<Stretch> all;
    for (std::size_t i = 0; i < trace.collective.size(); ++i)
        if (trace.last[i] >= 0 && trace.ended[i] > trace.last[i]) all.push_back({trace.last[i], trace.ended[i]});
    std::ranges::sort(all, {}, &Stretch::from);
    std::vector<Stretch> apart;
    for (const Stretch& one : all) {
        if (!apart.empty() && one.from <= apart.back().to) {
            apart.back().to = std::max(apart.back().to, one.to);
        } else {
            apart.push_back(one);
        }
    }
    return apart;
}

// Copy of a trace's columns about spans, in which spans can be split. Each part of a span gets a proportional part of
// its CPU time.
class SpanColumns {
  public:
    explicit SpanColumns(const StepTrace& trace) : m_trace(trace), m_layers(!trace.layer.empty()) {}

    std::int64_t endOf(std::size_t span) const {
        return span + 1 < m_trace.at.size() ? m_trace.at[span + 1] : m_trace.lengthNs;
    }
    void add(std::size_t span, Phase phase, std::int64_t from) {
        const std::int64_t begin = m_trace.at[span];
        const std::int64_t length = endOf(span) - begin;
        const std::int64_t cpuEnd = span + 1 < m_trace.cpu.size() ? m_trace.cpu[span + 1] : m_trace.cpuNs;
        const double part = length > 0 ? static_cast<double>(from - begin) / static_cast<double>(length) : 0;
        m_phase.push_back(static_cast<std::int64_t>(phase));
        m_at.push_back(from);
        m_cpu.push_back(m_trace.cpu[span] +
                        static_cast<std::int64_t>(part * static_cast<double>(cpuEnd - m_trace.cpu[span])));
        if (m_layers) m_layer.push_back(m_trace.layer[span]);
    }
    void addCut(std::size_t span, const std::vector<Stretch>& moving) {
        const std::int64_t end = endOf(span);
        std::int64_t at = m_trace.at[span];
        for (const Stretch& one : moving) {
            if (one.to <= at || one.from >= end) continue;
            if (one.from > at) add(span, Phase::kWaiting, at);
            add(span, Phase::kMoving, std::max(at, one.from));
            at = std::min(one.to, end);
        }
        if (at < end) add(span, Phase::kWaiting, at);
    }
    void storeIn(StepTrace& trace) {
        trace.phase = std::move(m_phase);
        trace.at = std::move(m_at);
        trace.cpu = std::move(m_cpu);
        if (m_layers) trace.layer = std::move(m_layer);
    }

  private:
    const StepTrace& m_trace;
    const bool m_layers;
    std::vector<std::int64_t> m_phase, m_at, m_cpu, m_layer;
};

}  // namespace

double plannedWorkRatio(const PlannedShares& rank, const PlannedShares& other, Phase phase) {
    const auto ratio = [](double own, double others) { return others > 0 ? std::max(1.0, own / others) : 1.0; };
    if (phase == Phase::kForward || phase == Phase::kBackward) return ratio(rank.compute, other.compute);
    return phase == Phase::kOptimizer ? ratio(rank.update, other.update) : 1.0;
}

PhaseTimes phaseTimes(const StepTrace& trace) {
    PhaseTimes times{};
    for (std::size_t i = 0; i < trace.phase.size(); ++i) {
        const std::int64_t end = i + 1 < trace.at.size() ? trace.at[i + 1] : trace.lengthNs;
        times[static_cast<std::size_t>(trace.phase[i])] += end - trace.at[i];
    }
    return times;
}

void separateWaitingFromMoving(StepTrace& trace) {
    const std::vector<Stretch> moving = movingStretches(trace);
    const auto waits = [&](std::size_t span) {
        return trace.phase[span] == static_cast<std::int64_t>(Phase::kWaiting);
    };
    SpanColumns columns(trace);
    for (std::size_t span = 0; span < trace.phase.size(); ++span) {
        if (waits(span))
            columns.addCut(span, moving);
        else
            columns.add(span, static_cast<Phase>(trace.phase[span]), trace.at[span]);
    }
    columns.storeIn(trace);
}

}  // namespace ringside
