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

// Watches the ranks of a run for failures: silence, missing progress, ends and invalid data. Determines the verdict
// (the reason of the failure); the supervisor then ends the run.
class RankWatch {
  public:
    using Ranks = std::vector<std::unique_ptr<RankLink>>;

    RankWatch(const RunPaths& paths, const PreparedRun& run, const SupervisorOptions& options, const Ranks& ranks,
              RunJournal& journal);

    // Sets the deadlines for ranks that are about to start, depending on the load of this host. Call before the first
    // start and before each restart.
    void begin();
    // Starts to measure the time between ticks. Call once the ranks have started.
    void started() { m_lastTick = std::chrono::steady_clock::now(); }
    // Ignores the silence of ranks during the time in which this process was suspended, and counts growing checkpoint
    // files as progress. Call at each tick.
    void tick();
    // Returns the factor by which the timeout of collectives is extended on a busy host.
    double timeoutFactor() const { return m_deadlines.timeoutFactor; }

    // Returns the verdict once a rank has failed. Empty: no rank has failed, or the reports that name the cause may
    // still arrive.
    std::optional<Verdict> judge();
    // Returns the verdict after all ranks have ended, so that no further report can arrive.
    std::optional<Verdict> judgeEnded() { return judge(true); }
    // Records that a rank sent invalid data. A rank on another host is then judged at once if isCertain, otherwise at
    // the 16th invalid line. Invalid data from a process of this host is a mistake in Ringside and is only logged.
    void reportMisuse(RankLink& rank, const std::string& how, bool isCertain);
    std::vector<RankFate> fates() const;

  private:
    std::optional<Verdict> judge(bool settled);
    void extendStartDeadline();
    void trackSaveProgress(TimePoint now);
    RankFate fateOf(const RankLink& rank, TimePoint now) const;
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
    std::optional<TimePoint> m_witnessedAt;  // end of the first rank that may have failed because of a peer
    std::optional<Verdict> m_misuse;         // verdict about a rank on another host that sent invalid data
    MemoryKills m_memoryKills;
    std::uintmax_t m_savedBytes = 0;
    TimePoint m_lookAtSavesAt{};
    TimePoint m_lastTick{};
};

}  // namespace ringside
