// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/system/child_process.h"
#include "telemetry/events/events.h"

namespace ringside {

// Outcome of a watched run, from the states and exceptions of its ranks and the end of the command. One thread.
class WatchVerdict {
  public:
    // Takes states and the facts "exception"; ignores other events.
    void take(const Event& event);
    // Records a signal that asked the command to end.
    void requested(int signal) { m_signal = signal; }
    // Records that --check ends the command now. A rank that fails later does so because of it.
    void endedByCheck() { m_isChecked = true; }
    // Records that a process has taken the place of a rank that has ended, as after a restart by torchrun. Nothing of
    // it is recorded.
    void restarted() { m_hasRestarted = true; }
    // Records that the connection of a rank has ended. Returns true if the rank is lost: it has sent no last report,
    // and nothing has asked it to end.
    bool ended(int rank);

    // Returns state, exit code, first failed rank, verdict and last lines for the end of the command. steps: trained by
    // the rank with the fewest. A run with a failed or lost rank has failed, although the command may exit with code 0,
    // unless the ranks were started again and the command has ended well.
    RunEnded conclude(const ChildEnd& command, std::int64_t steps) const;

  private:
    struct Failure {
        int rank = 0;
        std::int64_t timeUs = 0;
        std::string text;
        std::vector<std::string> stack;
    };
    std::string failureText(const ChildEnd& command) const;

    std::optional<Failure> m_exception;  // the earliest one
    std::map<int, RankStage> m_states;
    std::optional<int> m_firstLost;  // first rank that ended without a last report
    std::optional<int> m_signal;
    bool m_isChecked = false;
    bool m_hasRestarted = false;
};

}  // namespace ringside
