// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "telemetry/events/events.h"

namespace ringside {

// Finds the attempt of each process of a watched run. An attempt is one start of all ranks by the launcher. It can fail
// before some ranks report anything, so the number of a rank's processes does not give the attempt. The launcher passes
// the number of its restarts to each process, and the watcher records each restart.
class AttemptNumbers {
  public:
    // Takes the next event of the run, in its recorded order. Ignores events that begin no process and no attempt.
    void apply(const Event& event);
    // Returns the number of the attempt that the rank's next events belong to, from 0.
    int attemptOf(int rank) const;

  private:
    struct Process {
        int attempt = 0;
        std::optional<std::int64_t> launcherRestart;
    };
    void applyProcess(int rank, std::optional<std::int64_t> launcherRestart);
    int attemptOfNext(const Process& before, std::optional<std::int64_t> launcherRestart) const;
    int attemptOfFirst(std::optional<std::int64_t> launcherRestart) const;

    std::map<int, Process> m_processes;              // latest process of each rank
    std::map<std::int64_t, int> m_launcherAttempts;  // latest attempt with each number of the launcher
    int m_highest = 0;                               // highest attempt of a process
    int m_recordedRestarts = 0;                      // number of restarts that the watcher has recorded
};

}  // namespace ringside
