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
//
// A launcher such as torchrun can start the ranks again after a failure. Attempt 0 is the first start, attempt n the
// n-th restart.
class WatchVerdict {
  public:
    // Processes the state of a rank (RankState) or the facts "exception" of a rank; ignores other events.
    void apply(const Event& event, std::size_t attempt = 0);
    // Records the signal that was sent to the command to end it.
    void recordStopRequest(int signal) { m_signal = signal; }
    // Records that --check ends the command now, because all ranks have made the requested number of steps. A failure
    // of a rank after this call is a consequence, and not the rank's own failure.
    void setEndedByCheck() { m_isChecked = true; }
    // Records that the launcher has started the ranks again after the latest attempt, in which the rank that is
    // furthest ahead has reported `steps` steps. Returns a sentence for the log.
    std::string recordRestart(std::int64_t steps);
    // Records that the connection of a rank has ended, nowUs microseconds after the start of the run. Returns true if
    // the rank is lost: it has sent no last report, and neither a stop request nor --check has ended the command.
    bool recordConnectionEnd(int rank, std::size_t attempt = 0, std::int64_t nowUs = 0);

    // True if a rank of an attempt has reported an exception or is lost.
    bool hasFailedRank(std::size_t attempt) const;
    std::size_t restarts() const { return m_attempts.size() - 1; }
    // Returns the outcome of the run after the command has ended: state, exit code, first failed rank, verdict, and as
    // last lines the stack of the exception that ended a rank. steps: number of steps of the rank that has trained the
    // fewest. A run whose last attempt has a failed or lost rank has failed, even if the command has exited with code
    // 0.
    RunEnded conclude(const ChildEnd& command, std::int64_t steps) const;

  private:
    struct Failure {
        int rank = 0;
        std::int64_t timeUs = 0;
        std::string text;
        std::vector<std::string> stack;
    };
    struct Attempt {
        std::optional<Failure> exception;  // earliest exception of a rank; empty if there was none
        std::map<int, RankStage> states;
        std::optional<int> firstLost;      // first rank that ended without a last report
        std::int64_t lostUs = 0;           // time at which the end of that rank was detected
        std::optional<int> firstFinished;  // first rank that ended with a last report and without an exception
        std::int64_t finishedUs = 0;       // time of the last report of that rank
        std::int64_t steps = 0;            // number of steps after which the ranks were started again
    };
    static bool reportsClosedConnection(const Attempt& attempt, std::int64_t endedUs);
    static bool isConsequence(const Attempt& attempt);
    static std::optional<int> rankThatLeft(const Attempt& attempt);
    static std::string exceptionText(const Attempt& attempt);
    static std::string reasonOf(const Attempt& attempt);
    std::string failureText(const ChildEnd& command) const;
    std::string restartText(std::size_t attempt) const;
    std::string restartsText() const;
    RunEnded concludeLastAttempt(const ChildEnd& command, std::int64_t steps) const;

    std::vector<Attempt> m_attempts{1};
    std::optional<int> m_signal;
    bool m_isChecked = false;
};

}  // namespace ringside
