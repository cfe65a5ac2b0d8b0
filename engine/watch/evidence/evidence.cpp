// SPDX-License-Identifier: Apache-2.0
#include "watch/evidence/evidence.h"

#include <algorithm>

#include "telemetry/events/limits.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {

void Evidence::take(int rank, const Event& event) {
    if (rank < 0 || rank >= limits::kMaxRanks) return;
    RankEvidence& one = m_ranks[rank];
    one.rank = rank;
    one.take(event, m_budget);
    m_nowUs = std::max(m_nowUs, one.latestUs);
    if (const auto* facts = std::get_if<ScriptFacts>(&event)) takeWorldSize(*facts);
    if (const auto* trace = std::get_if<StepTrace>(&event)) {
        StepTrace own = *trace;
        own.rank = rank;
        m_traces.apply(own);
    }
}

void Evidence::takeWorldSize(const ScriptFacts& facts) {
    if (facts.about != "process" && facts.about != "process_group" && facts.about != "process_group_created") return;
    const auto parsed = parseJson(facts.facts, "facts");
    if (!parsed) return;
    const std::int64_t size = numberOf(parsed.value(), "world_size", 1);
    if (size <= m_worldSize || size > limits::kMaxRanks) return;
    m_worldSize = static_cast<int>(size);
    m_traces = TraceData(m_worldSize, kMaxTracedSteps);  // a group is joined before the first step
}

const RankEvidence* Evidence::find(int rank) const {
    const auto found = m_ranks.find(rank);
    return found == m_ranks.end() ? nullptr : &found->second;
}

bool Evidence::hasEnded() const {
    return static_cast<int>(m_ranks.size()) >= m_worldSize &&
           std::ranges::all_of(m_ranks, [](const auto& one) { return one.second.hasEnded(); });
}

}  // namespace ringside
