// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "run/supervise/rank_watch.h"
#include "run/supervise/stop_requests.h"

namespace ringside {

// Sequence of actions that ends a run's ranks on request. Normally all ranks stop together after the current step and
// save their weights. Ranks that are still loading data, and all ranks after a third request, are terminated, and
// killed after a grace period. There is no deadline for a stop, because steps and saves can take long; RankWatch
// detects hung ranks.
class StopSequence {
  public:
    enum class Phase { kRunning, kStopping, kTerminating, kKilled };

    // onStopping: called after the ranks were requested to stop together.
    StopSequence(const RunPaths& paths, const SupervisorOptions& options, const RankWatch::Ranks& ranks,
                 const RankWatch& watch, RunJournal& journal, std::function<void()> onStopping);

    // Handles a stop request by the user.
    void request();
    // Handles a stop request that can arrive several times for one stop, as from a closing terminal or a launcher.
    void requestOnce();
    // Begins the stop unless it was requested before.
    void beginOnce();
    // Logs which rank the stop waits for, and kills terminated ranks after the grace period. Call at each tick.
    void tick();
    void killAll();
    // Sets the phase back to kRunning, before all ranks start again.
    void reset();

    Phase phase() const { return m_phase; }
    bool isRequested() const { return m_requests.isRequested(); }
    // True if the ranks were terminated on request while they loaded data.
    bool hasStoppedLoading() const { return m_stoppedLoading; }
    // True if the ranks were terminated on request, before they had saved.
    bool wasCutShort() const { return m_cutShort; }
    // True if this process has terminated or killed the ranks, so that their ends do not count as failures.
    bool hasEndedRanks() const { return m_phase == Phase::kTerminating || m_phase == Phase::kKilled; }
    // True if ranks that were killed have still not ended after a time limit.
    bool hasKillTimedOut() const;

  private:
    void handleRequest(StopRequests::Meaning meaning);
    void beginStop();
    void terminateRanks();
    void logCost();
    void logWaiting();
    bool isAnyRankLoading() const;

    const RunPaths& m_paths;
    const SupervisorOptions& m_options;
    const RankWatch::Ranks& m_ranks;
    const RankWatch& m_watch;
    RunJournal& m_journal;
    const std::function<void()> m_onStopping;
    StopRequests m_requests;
    Phase m_phase = Phase::kRunning;
    TimePoint m_deadline{};  // end of the current phase; valid only in the phases kTerminating and kKilled
    bool m_stoppedLoading = false;
    bool m_cutShort = false;
    TimePoint m_logAt{};  // time of the next log line that names the rank that the stop waits for
    std::chrono::milliseconds m_logInterval{};
};

}  // namespace ringside
