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
    // Records that the connection of a rank has ended.
    void ended(int rank, std::int64_t nowUs);

    // Returns state, exit code, first failed rank, verdict and last lines for the end of the command. checkedSteps: the
    // steps after which --check has ended it.
    RunEnded conclude(const ChildEnd& command, std::optional<std::int64_t> checkedSteps) const;

  private:
    struct Failure {
        int rank = 0;
        std::int64_t timeUs = 0;
        std::string text;
        std::vector<std::string> stack;
    };
    std::optional<Failure> m_exception;  // the earliest one
    std::map<int, std::string> m_states;
    std::optional<int> m_firstLost;  // first rank that ended without a last report
    std::optional<int> m_signal;
};

}  // namespace ringside
