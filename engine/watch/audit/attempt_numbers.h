// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "telemetry/events/events.h"

namespace ringside {

// Finds the attempt to which each process of a watched run belongs. An attempt is one start of all ranks by the
// launcher, such as torchrun. An attempt can fail before all ranks have reported, so the number of processes of a rank
// does not give the attempt. Uses the restart number that the launcher passes to each process, and the restarts that
// the watcher has recorded.
class AttemptNumbers {
  public:
    // Adds the next event of the run. Events must be added in recorded order. Ignores events that start neither a
    // process nor an attempt.
    void apply(const Event& event);
    // Returns the number (from 0) of the attempt to which the next events of the rank belong.
    int attemptOf(int rank) const;

  private:
    struct Process {
        int attempt = 0;
        std::optional<std::int64_t> launcherRestart;
    };
    void applyProcess(int rank, std::optional<std::int64_t> launcherRestart);
    int attemptOfNext(const Process& before, std::optional<std::int64_t> launcherRestart) const;
    int attemptOfFirst(std::optional<std::int64_t> launcherRestart) const;

    std::map<int, Process> m_processes;  // latest process of each rank, by rank
    // for each restart number of the launcher, the latest attempt with this number
    std::map<std::int64_t, int> m_launcherAttempts;
    int m_highest = 0;           // highest attempt number of any process
    int m_recordedRestarts = 0;  // number of restarts that the watcher has recorded
};

}  // namespace ringside
