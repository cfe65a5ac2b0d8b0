// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "telemetry/events/events.h"
#include "telemetry/traces/trace_data.h"
#include "watch/evidence/rank_evidence.h"

namespace ringside {

// Reports of all ranks of a watched script: the input of the findings and of the audit.
//
// Filled from events, live or from a recorded run, in any order among ranks and in the order of arrival within one
// rank. Memory is bounded: the whole run keeps at most kMaxIndices indices, and each rank the numbers of entries in
// RankEvidence. Not thread-safe.
class Evidence {
  public:
    static constexpr std::size_t kMaxIndices = 1U << 24;
    static constexpr std::size_t kMaxTracedSteps = 400;

    // Adds an event that a rank has sent. Ranks below 0 and ranks from limits::kMaxRanks on are ignored.
    void add(int rank, const Event& event);
    // Records that a rank has ended without a last report, although nothing has asked it to end.
    void markLost(int rank) { m_lost.insert(rank); }
    // Records that a line of a rank could not be decoded.
    void addUnreadable(int rank) { ++m_unreadable[rank]; }

    const std::map<int, RankEvidence>& ranks() const { return m_ranks; }
    const RankEvidence* find(int rank) const;
    // Returns the largest world size that a rank has reported; 1 if none was reported.
    int worldSize() const { return m_worldSize; }
    // Returns the latest traced steps of all ranks.
    const TraceData& traces() const { return m_traces; }
    // Returns the time of the latest report of any rank, in microseconds since the run started.
    std::int64_t nowUs() const { return m_nowUs; }
    // Returns the number of indices that are kept.
    std::size_t keptIndices() const { return kMaxIndices - m_budget; }
    // True if all ranks of the run have reported, and each has finished or failed.
    bool hasEnded() const;
    // Returns why reports are known to be missing, as one clause; empty if none is.
    std::string missingReports() const;

  private:
    void setWorldSize(const ScriptFacts& facts);

    std::map<int, RankEvidence> m_ranks;
    int m_worldSize = 1;
    TraceData m_traces{1, kMaxTracedSteps};
    std::size_t m_budget = kMaxIndices;
    std::int64_t m_nowUs = 0;
    std::set<int> m_lost;                      // ranks that have ended without a last report
    std::map<int, std::int64_t> m_unreadable;  // number of unreadable lines, by rank
};

}  // namespace ringside
