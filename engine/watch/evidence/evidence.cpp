// SPDX-License-Identifier: Apache-2.0
#include "watch/evidence/evidence.h"

#include <algorithm>

#include "telemetry/events/limits.h"
#include "telemetry/events/script_topic.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {

void Evidence::add(int rank, const Event& event) {
    if (rank < 0 || rank >= limits::kMaxRanks) return;
    RankEvidence& one = m_ranks[rank];
    one.rank = rank;
    one.add(event, m_budget);
    m_latestReportUs = std::max(m_latestReportUs, one.latestUs);
    if (const auto* facts = std::get_if<ScriptFacts>(&event)) setWorldSize(*facts);
    if (const auto* trace = std::get_if<StepTrace>(&event)) {
        StepTrace own = *trace;
        own.rank = rank;
        m_traces.apply(own);
    }
}

void Evidence::setWorldSize(const ScriptFacts& facts) {
    const std::optional<ScriptTopic> topic = topicOf(facts);
    if (topic != ScriptTopic::kProcess && topic != ScriptTopic::kProcessGroup &&
        topic != ScriptTopic::kProcessGroupCreated)
        return;
    const auto parsed = parseJson(facts.facts, "facts");
    if (!parsed) return;
    const std::int64_t size = numberOf(parsed.value(), "world_size", 1);
    if (size <= m_worldSize || size > limits::kMaxRanks) return;
    m_worldSize = static_cast<int>(size);
    m_traces = TraceData(m_worldSize, kMaxTracedSteps);  // discards no traces: the world size becomes known before the
                                                         // first step
}

const RankEvidence* Evidence::find(int rank) const {
    const auto found = m_ranks.find(rank);
    return found == m_ranks.end() ? nullptr : &found->second;
}

bool Evidence::hasEnded() const {
    return static_cast<int>(m_ranks.size()) >= m_worldSize &&
           std::ranges::all_of(m_ranks, [](const auto& one) { return one.second.hasEnded(); });
}

std::string Evidence::missingReports() const {
    const auto ofRank = [](int rank) { return "rank " + std::to_string(rank); };
    if (!m_lost.empty()) return ofRank(*m_lost.begin()) + " ended without a last report";
    if (static_cast<int>(m_ranks.size()) < m_worldSize)
        return "only " + std::to_string(m_ranks.size()) + " of " + std::to_string(m_worldSize) + " ranks have reported";
    for (const auto& [number, rank] : m_ranks) {
        const Json& end = rank.latest("end");
        const std::int64_t dropped = std::max(
            rank.heartbeat.droppedSteps, numberOf(end, "dropped_observations", 0) + numberOf(end, "dropped_lines", 0));
        if (dropped > 0) return ofRank(number) + " could not send " + std::to_string(dropped) + " of its reports";
    }
    if (m_unreadable.empty()) return {};
    const auto& [rank, lines] = *m_unreadable.begin();
    return std::to_string(lines) + " reports of " + ofRank(rank) + " could not be read";
}

}  // namespace ringside
