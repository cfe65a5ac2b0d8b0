// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/system/child_process.h"
#include "base/text/line_splitter.h"
#include "launch/classroom/classroom_guest.h"

namespace ringside {

// Settings of a guest.
struct ClientSettings {
    JoinCode code;
    std::string name;
    std::filesystem::path worker;
    std::filesystem::path folder;
    std::int64_t mostBytes = 0;
    bool lines = false;  // true to print JSON lines instead of sentences
};

// One computer as a guest of a classroom: connects, receives the files, runs a rank when the host starts it, and
// reconnects when the connection is lost.
class ClassroomClient {
  public:
    explicit ClassroomClient(ClientSettings plan) : m_plan(std::move(plan)) {}

    // Blocks until the classroom is over or the user leaves. Returns the exit code.
    int run(int signalFd);

  private:
    using Clock = std::chrono::steady_clock;

    bool connect();
    bool wait(int signalFd);
    void readClass();
    void handleLine(const ClassroomLine& line);
    void launchRank(const ClassroomStart& start);
    void readRank();
    void endRank();
    void reportProgress();
    void report(const std::string& kind, const std::string& text, std::int64_t number = 0);
    void end(int exitCode) { m_exitCode = exitCode; }

    ClientSettings m_plan;
    std::unique_ptr<ClassroomGuest> m_guest;      // connection to the host; null while it is lost
    std::unique_ptr<ClassroomGuest> m_lostGuest;  // lost connection, which owns the files that a running rank still
                                                  // uses
    std::unique_ptr<ChildProcess> m_rank;         // rank of this computer; declared last, so that it is destroyed
                                                  // before the files that it uses
    LineSplitter m_output{8192};
    std::string m_lastWords;
    std::string m_lastMessage;
    std::optional<int> m_exitCode;
    Clock::time_point m_lostAt{};
    Clock::time_point m_tryAt{};
    Clock::time_point m_reportAt{};
    Clock::time_point m_lastReceivedAt{};
    bool m_everThere = false;
};

}  // namespace ringside
