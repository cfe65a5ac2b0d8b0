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

namespace ringside {

// A rank as whoever hosts the run sees it: a process started here (RankProcess), or one that a launcher started and
// that has connected (RemoteRank). All reads are without waiting.
class RankLink {
  public:
    using LineSink = std::function<void(std::string_view)>;

    explicit RankLink(int rank) : m_rank(rank) {}
    virtual ~RankLink() = default;
    RankLink(const RankLink&) = delete;
    RankLink& operator=(const RankLink&) = delete;

    int rank() const { return m_rank; }
    virtual pid_t pid() const = 0;
    virtual std::string host() const { return {}; }  // empty: this one

    // Reads what is there; false once the stream has ended.
    virtual bool readTelemetry(const LineSink& line) = 0;
    virtual bool readOutput(const LineSink& line) = 0;
    virtual int outputFd() const = 0;  // readable where there is output; -1: nothing to wait for
    virtual int exitFd() const = 0;    // readable once the rank has ended, or has something to say

    // Collects the end without waiting; empty while the rank lives.
    virtual const std::optional<ChildEnd>& poll() = 0;
    virtual const std::optional<ChildEnd>& end() const = 0;
    virtual void signal(int number) = 0;                                  // SIGTERM or SIGKILL, in its own way
    virtual void sendControl(std::string_view line) const = 0;            // dropped when the worker does not read
    virtual bool takeStopRequest() { return false; }                      // whether it was told to stop by its launcher
    virtual std::vector<ClockReading> takeClockReadings() { return {}; }  // its answers to questions for its clock

    virtual std::vector<std::string> tail() const = 0;  // its last lines of output, a partial one included
    virtual bool isStopped() const = 0;                 // by SIGSTOP or a debugger

    void heard(TimePoint now) {
        if (everHeard) {
            longestSilence = std::max(longestSilence, std::chrono::duration<double>(now - lastHeard).count());
        }
        lastHeard = now;
        everHeard = true;
    }

    TimePoint lastHeard{};
    double longestSilence = 0;  // seconds between two signs of life
    RankMovement movement;
    bool everHeard = false;
    int badLines = 0;  // that are no telemetry of this rank
    int endOrder = 0;
    TimePoint endedAt{};
    int missingRank = -1;  // whom it says it gave up on
    std::string said;      // its last RankState

  private:
    int m_rank;
};

}  // namespace ringside
