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

// Reports of all ranks of a watched script. The findings and the audit are computed from them.
//
// Events are added live or from a recorded run. Events of one rank must be added in the order of their arrival; the
// ranks may be interleaved in any order. Memory is bounded: at most kMaxIndices sample indices are kept for all ranks
// together, and RankEvidence limits the entries of each rank. Not thread-safe.
class Evidence {
  public:
    static constexpr std::size_t kMaxIndices = 1U << 24;
    static constexpr std::size_t kMaxTracedSteps = 400;

    // Adds an event that a rank has sent. Ranks below 0 and ranks from limits::kMaxRanks on are ignored.
    void add(int rank, const Event& event);
    // Records that the process of a rank has ended without a last report and without a request to end.
    void markLost(int rank) { m_lost.insert(rank); }
    // Records that a telemetry line of a rank could not be decoded.
    void addUnreadable(int rank) { ++m_unreadable[rank]; }

    const std::map<int, RankEvidence>& ranks() const { return m_ranks; }
    const RankEvidence* find(int rank) const;
    // Returns the largest world size that a rank has reported; 1 if none was reported.
    int worldSize() const { return m_worldSize; }
    // Returns the latest traced steps of all ranks.
    const TraceData& traces() const { return m_traces; }
    // Returns the time of the latest report of any rank, in microseconds since the run started.
    std::int64_t latestReportUs() const { return m_latestReportUs; }
    // Returns the number of sample indices that are kept.
    std::size_t keptIndices() const { return kMaxIndices - m_budget; }
    // True if all ranks of the run have reported, and each has finished or failed.
    bool hasEnded() const;
    // Returns a clause that states which reports are missing; empty if no report is known to be missing.
    std::string missingReports() const;

  private:
    void setWorldSize(const ScriptFacts& facts);

    std::map<int, RankEvidence> m_ranks;
    int m_worldSize = 1;
    TraceData m_traces{1, kMaxTracedSteps};
    std::size_t m_budget = kMaxIndices;
    std::int64_t m_latestReportUs = 0;
    std::set<int> m_lost;                      // ranks that have ended without a last report
    std::map<int, std::int64_t> m_unreadable;  // number of unreadable lines, by rank
};

}  // namespace ringside
