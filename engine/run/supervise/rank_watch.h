// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/ranks/rank_link.h"
#include "run/supervise/memory_kills.h"
#include "run/supervise/run_journal.h"
#include "run/supervise/supervisor_options.h"
#include "run/supervise/verdict.h"

namespace ringside {

// Detector of failures of a run's ranks: silence, missing progress, ends and invalid data. Returns the verdict, which
// is the reason of the failure, to the supervisor, which ends the run.
class RankWatch {
  public:
    using Ranks = std::vector<std::unique_ptr<RankLink>>;

    RankWatch(const RunPaths& paths, const PreparedRun& run, const SupervisorOptions& options, const Ranks& ranks,
              RunJournal& journal);

    // Sets the deadlines for ranks that are about to start, depending on the load of this host. Call before the first
    // start and before each restart.
    void begin();
    // Sets the time of the last tick to now, so that tick() does not take the start of the ranks for a suspension of
    // this process. Must be called when all ranks have been started.
    void started() { m_lastTick = std::chrono::steady_clock::now(); }
    // Restarts the measurement of the ranks' silence if this process was suspended since the last tick, and counts
    // growing checkpoint files as progress of ranks that save. Must be called at each tick.
    void tick();
    // Returns the factor by which the timeout of collectives is extended on a busy host.
    double timeoutFactor() const { return m_deadlines.timeoutFactor; }

    // Returns the verdict once a rank has failed. Empty: no rank has failed, or the reports that name the cause may
    // still arrive.
    std::optional<Verdict> judge();
    // Returns the verdict after all ranks have ended: unlike judge(), does not wait for further reports.
    std::optional<Verdict> judgeEnded() { return judge(true); }
    // Records that a rank sent invalid data. For a rank on another host, the run fails at once if isCertain, and
    // otherwise at the rank's 16th invalid line. For a rank on this host, does nothing: the caller logs the line,
    // because the cause is a mistake in Ringside.
    void reportMisuse(RankLink& rank, const std::string& how, bool isCertain);
    std::vector<RankCondition> conditions() const;

  private:
    std::optional<Verdict> judge(bool settled);
    void extendStartDeadline();
    void trackSaveProgress(TimePoint now);
    RankCondition conditionOf(const RankLink& rank, TimePoint now) const;
    std::string positionOf(int rank) const;
    std::chrono::milliseconds timeout() const;
    int ranksHere() const;

    const RunPaths& m_paths;
    const PreparedRun& m_run;
    const SupervisorOptions& m_options;
    const Ranks& m_ranks;
    RunJournal& m_journal;
    RunDeadlines m_deadlines;
    TimePoint m_readLoadAt{};
    std::optional<TimePoint> m_witnessedAt;  // time at which a rank was first found to have ended because of a possible
                                             // failure of a peer
    std::optional<Verdict> m_misuse;         // verdict about a rank on another host that sent invalid data
    MemoryKills m_memoryKills;
    std::uintmax_t m_savedBytes = 0;
    TimePoint m_nextSaveCheck{};
    TimePoint m_lastTick{};
};

}  // namespace ringside
