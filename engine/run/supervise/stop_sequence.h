// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "run/supervise/rank_watch.h"
#include "run/supervise/stop_requests.h"

namespace ringside {

// The end of a run's ranks on request: all ranks stop together after the current step and save their weights. Ranks are
// terminated, and killed after a grace period, if they are still loading data or if the user requests it. A stop has no
// deadline of its own: steps and saves that make progress may take long, and RankWatch detects hung ranks.
class StopSequence {
  public:
    enum class Phase { kRunning, kStopping, kTerminating, kKilled };

    // onStopping is called when the ranks have been asked to stop together.
    StopSequence(const RunPaths& paths, const SupervisorOptions& options, const RankWatch::Ranks& ranks,
                 const RankWatch& watch, RunJournal& journal, std::function<void()> onStopping);

    // Handles a stop request by the user.
    void request();
    // Handles a stop request that can arrive several times for one stop, as from a closing terminal or a launcher.
    void hangUp();
    // Begins the stop unless it was requested before.
    void beginOnce();
    // Logs which rank the stop waits for, and kills terminated ranks after the grace period. Call at each tick.
    void tick();
    void killAll();
    // Returns to the state without a stop request, before all ranks start again.
    void reset();

    Phase phase() const { return m_phase; }
    bool isRequested() const { return m_requests.isRequested(); }
    // True if the ranks were terminated on request while they loaded data.
    bool hasStoppedLoading() const { return m_stoppedLoading; }
    // True if the ranks were terminated on request, before they had saved.
    bool wasCutShort() const { return m_cutShort; }
    // True if this process has ended the ranks, so that their ends are no failures.
    bool hasEndedRanks() const { return m_phase == Phase::kTerminating || m_phase == Phase::kKilled; }
    // True if the ranks have not ended in time after they were killed.
    bool isOutOfPatience() const;

  private:
    void handleRequest(StopRequests::Meaning meaning);
    void beginStop();
    void terminateRanks();
    void logCost();
    void logWaiting();
    bool someRankLoads() const;

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
    TimePoint m_logAt{};  // time of the next log line that names the rank a stop waits for
    std::chrono::milliseconds m_logInterval{};
};

}  // namespace ringside
