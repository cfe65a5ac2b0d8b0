// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/child_process.h"
#include "base/time/clock.h"
#include "base/time/clock_comparison.h"
#include "run/ranks/rank_movement.h"
#include "telemetry/events/event_choices.h"

namespace ringside {

// A rank as seen by the supervisor: a child process (RankProcess), or a process that a launcher has started and that
// has connected (RemoteRank). Used by one thread; no call blocks.
class RankLink {
  public:
    using LineSink = std::function<void(std::string_view)>;

    explicit RankLink(int rank) : m_rank(rank) {}
    virtual ~RankLink() = default;
    RankLink(const RankLink&) = delete;
    RankLink& operator=(const RankLink&) = delete;

    int rank() const { return m_rank; }
    virtual pid_t pid() const = 0;
    virtual std::string host() const { return {}; }  // returns the host of the rank; empty: this host

    // Passes the available telemetry lines to `line`. Returns false once the stream has ended.
    virtual bool readTelemetry(const LineSink& line) = 0;
    // Passes the available lines of standard output and error to `line`. Returns false if the stream has ended or does
    // not exist.
    virtual bool readOutput(const LineSink& line) = 0;
    // Returns a descriptor that is readable when there is output; -1: the rank has none.
    virtual int outputFd() const = 0;
    virtual int exitFd() const = 0;  // returns a descriptor that is readable when poll() must be called; -1: the rank
                                     // has none

    // Checks whether the process of the rank has ended. Returns its exit code or signal; empty while the process runs.
    virtual const std::optional<ChildEnd>& poll() = 0;
    // Returns the exit code or signal that an earlier call of poll() found; empty if the process was still running.
    virtual const std::optional<ChildEnd>& end() const = 0;
    // Ends the rank: SIGTERM or SIGKILL, or the equivalent for a remote rank.
    virtual void signal(int number) = 0;
    // Sends a line to the worker. The line is lost if the worker does not read.
    virtual void sendControl(std::string_view line) const = 0;
    // True once after a launcher has requested the rank to stop.
    virtual bool takeStopRequest() { return false; }
    // Returns the new answers to time queries (HostClocks).
    virtual std::vector<ClockReading> takeClockReadings() { return {}; }

    // Returns the last lines of the rank's output, including an incomplete one.
    virtual std::vector<std::string> lastLines() const = 0;
    // True if the rank's process is stopped by SIGSTOP or a debugger.
    virtual bool isStopped() const = 0;

    // Records that a telemetry line of the rank has arrived, and updates longestSilence.
    void recordArrival(TimePoint now) {
        if (hasSentAny) {
            longestSilence = std::max(longestSilence, std::chrono::duration<double>(now - lastLineAt).count());
        }
        lastLineAt = now;
        hasSentAny = true;
    }

    TimePoint lastLineAt{};
    double longestSilence = 0;  // longest time between two telemetry lines, in seconds
    RankMovement movement;
    bool hasSentAny = false;
    int badLines = 0;  // number of lines from this rank that are not valid telemetry
    int endOrder = 0;
    TimePoint endedAt{};
    int missingRank = -1;                    // peer that the rank reported as missing; -1: none
    std::optional<RankStage> reportedStage;  // last stage (RankState) that the rank reported; empty: none

  private:
    int m_rank;
};

}  // namespace ringside
