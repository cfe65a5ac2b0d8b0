// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/system/unique_fd.h"
#include "base/text/line_splitter.h"
#include "launch/wire/greeting.h"
#include "run/ranks/rank_link.h"

namespace ringside {

// Process of a watched script that has connected as a rank (docs/watch-protocol.md). One connection carries telemetry
// from the rank and queries to it. The object only observes: it never ends the process.
class WatchedRank final : public RankLink {
  public:
    // socket: non-blocking connection whose handshake is complete.
    WatchedRank(const Greeting& greeting, UniqueFd socket);

    pid_t pid() const override { return m_pid; }
    std::string host() const override { return m_host; }
    const std::string& hostKey() const { return m_hostKey; }
    int fd() const { return m_socket.get(); }  // returns the socket; -1 after the end of the connection

    // Passes the available telemetry lines to `line`. Answers to time queries are kept for takeClockReadings().
    bool readTelemetry(const LineSink& line) override;
    // Ends the connection of a process that does not report any more.
    void closeConnection();
    // Returns false: a rank writes its output to the standard output of the command, not to this connection.
    bool readOutput(const LineSink&) override { return false; }
    int outputFd() const override { return -1; }
    int exitFd() const override { return -1; }

    // Returns the end of the connection, which counts as the end of the process. The exit code of the process is
    // unknown, so the process counts as lost.
    const std::optional<ChildEnd>& poll() override { return m_end; }
    const std::optional<ChildEnd>& end() const override { return m_end; }
    void signal(int) override {}
    void sendControl(std::string_view line) const override;
    std::vector<ClockReading> takeClockReadings() override { return std::exchange(m_clockReadings, {}); }

    std::vector<std::string> lastLines() const override { return {}; }
    bool isStopped() const override { return false; }

  private:
    void readLine(std::string_view line, const LineSink& sink);

    const std::string m_host;
    const std::string m_hostKey;
    const pid_t m_pid;
    UniqueFd m_socket;
    LineSplitter m_lines;
    std::optional<ChildEnd> m_end;
    std::vector<ClockReading> m_clockReadings;
};

}  // namespace ringside
