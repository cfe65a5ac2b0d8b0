// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "telemetry/events/events.h"
#include "watch/run/hang.h"

namespace ringside {

// Detects from the events of the ranks that a watched run makes no progress. Times are microseconds since the start of
// the run. Used by one thread.
class StallWatch {
  public:
    // minimum time without progress, in microseconds, before a hang is reported
    static constexpr std::int64_t kMinUs = 8'000'000;
    // Minimum time without progress, in microseconds, if no step is finished yet: ranks may wait for a download.
    static constexpr std::int64_t kStartUs = 12'000'000;
    // Minimum time between two requests for the stacks of the ranks, in microseconds.
    static constexpr std::int64_t kRequestIntervalUs = 4'000'000;

    // Processes an event of a rank. nowUs: time at which the event arrived.
    void apply(const Event& event, std::int64_t nowUs);
    // Records that the connection of a rank has ended.
    void recordConnectionEnd(int rank);

    // Returns true if the caller must request the stacks of all ranks now: no rank makes progress, and the latest
    // request is at least kRequestIntervalUs old. The call then counts as the latest request.
    bool mustRequestStacks(std::int64_t nowUs);
    // Returns a hang report once all ranks have reported the lines that they execute. Returns at most one report for
    // each period without progress. worldSize: number of ranks of the run.
    std::optional<HangReport> conclude(std::int64_t nowUs, std::int64_t worldSize);

    // Returns the hang that was reported and is not resolved; empty if there is none.
    const std::optional<HangReport>& hang() const { return m_hang; }
    // Returns true if the run has completed a step.
    bool hasTrained() const { return m_steps > 0; }

  private:
    void recordProgress(int rank, std::int64_t nowUs);
    std::int64_t limitUs() const;

    std::map<int, RankStall> m_ranks;
    std::optional<std::int64_t> m_movedUs;  // time of the latest progress of any rank
    std::int64_t m_lastStepUs = 0;          // end of the latest step in the reports of all ranks, in microseconds
    double m_meanStepUs = 0;                // mean length of the latest steps
    std::int64_t m_requestedUs = 0;         // time of the latest request for stacks
    std::int64_t m_steps = 0;               // number of steps of the rank that is furthest ahead
    bool m_concluded = false;               // true if a conclusion was drawn after the latest progress
    std::optional<HangReport> m_hang;       // latest hang; empty after the run has trained further steps
    std::int64_t m_hangStep = 0;
};

}  // namespace ringside
