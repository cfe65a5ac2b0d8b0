// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "run/supervise/outcome.h"
#include "run/supervise/run_journal.h"
#include "run/supervise/supervisor_options.h"

namespace ringside {

// Restarts of all ranks of a run from the last checkpoint: counts them and decides whether a further restart follows.
class Restarts {
  public:
    Restarts(const RunPaths& paths, const PreparedRun& run, const SupervisorOptions& options, RunJournal& journal);

    // Records the earlier restarts that were done by starting a new group of processes, as in a classroom run or with
    // ranks started through ssh (SupervisorOptions::restart).
    void recordEarlier();
    // True if at least one restart has begun.
    bool hasRestarted() const { return m_count > 0; }
    // True if parallel.max_restarts allows a further restart.
    bool canRestart() const { return m_count < m_maxRestarts; }
    // Decides whether the ranks restart after they have ended with `end`. They do not restart if the last checkpoint
    // contains the weights of the last planned step. Returns the pause before the restart, and logs it; empty: no
    // restart.
    std::optional<std::chrono::milliseconds> next(const RunEnded& end, std::int64_t plannedSteps);
    // Counts and records the restart that next() has decided on. Must be called after the pause, unless a stop was
    // requested in the meantime.
    void begin();
    // Returns the checkpoint from which the ranks resume after the last restart, or from which the run resumed; empty
    // if there is none.
    const std::string& checkpoint() const { return m_checkpoint; }

  private:
    void record(std::int64_t step, std::int64_t epoch);

    const RunPaths& m_paths;
    const PreparedRun& m_run;
    RunJournal& m_journal;
    const std::int64_t m_maxRestarts;
    const std::chrono::milliseconds m_backOff;
    std::int64_t m_count;
    // Checkpoint from which the ranks resume in the restart that next() has decided on; empty if they start from the
    // beginning.
    std::optional<StoredCheckpoint> m_from;
    std::string m_checkpoint;
};

}  // namespace ringside
