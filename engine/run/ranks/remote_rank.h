// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "base/text/line_splitter.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "run/ranks/rank_link.h"

namespace ringside {

// Rank that a launcher has started, on any host, and that has joined the rendezvous. The rank sends its exit code
// before it ends; if the connection closes without an exit code, the rank counts as lost. signal() closes the
// connection, so that the rank exits.
class RemoteRank final : public RankLink {
  public:
    using Clock = std::function<TimePoint()>;

    // Takes over the control and telemetry connections of the guest, a process that has joined the rendezvous. Does not
    // use the guest's connection to the store; the caller must keep it for the supervisor.
    explicit RemoteRank(Guest guest, Clock now = std::chrono::steady_clock::now);

    pid_t pid() const override { return m_guest.pid; }
    std::string host() const override { return m_guest.host; }
    bool readTelemetry(const LineSink& line) override;
    // Reads nothing and returns false, because the output of the rank goes to the launcher.
    bool readOutput(const LineSink&) override { return false; }
    int outputFd() const override { return -1; }
    int exitFd() const override { return m_guest.control.get(); }

    const std::optional<ChildEnd>& poll() override;
    const std::optional<ChildEnd>& end() const override { return m_end; }
    void signal(int number) override;
    void sendControl(std::string_view line) const override;
    bool takeStopRequest() override { return std::exchange(m_stopWanted, false); }
    std::vector<ClockReading> takeClockReadings() override { return std::exchange(m_clockReadings, {}); }

    std::vector<std::string> lastLines() const override { return m_lastLines; }
    // Returns false, because it is not known whether a process on another host is stopped.
    bool isStopped() const override { return false; }

  private:
    void readControlLine(std::string_view line);

    Guest m_guest;
    Clock m_now;
    LineSplitter m_telemetryLines;
    LineSplitter m_controlLines;
    // End that the rank has announced before it exits; empty: none yet.
    std::optional<ChildEnd> m_announcedEnd;
    // Control connection of a rank that has sent its exit code. Open until the end of this object, because a stopped
    // rank waits for the summary of the run: it exits when the connection closes.
    UniqueFd m_controlAfterFarewell;
    std::vector<std::string> m_lastLines;
    TimePoint m_closedAt{};
    std::optional<ChildEnd> m_end;
    bool m_stopWanted = false;
    std::vector<ClockReading> m_clockReadings;
};

}  // namespace ringside
