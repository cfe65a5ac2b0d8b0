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
#include "launch/classroom/class_guest.h"

namespace ringside {

struct SeatPlan {
    JoinCode code;
    std::string name;
    std::filesystem::path worker;
    std::filesystem::path folder;
    std::int64_t mostBytes = 0;
    bool lines = false;  // JSON instead of sentences
};

// One computer's part in a class: connects, takes what the run needs, is a rank when it is told to, and comes back
// when the connection is lost.
class ClassSeat {
  public:
    explicit ClassSeat(SeatPlan plan) : m_plan(std::move(plan)) {}

    // Until the class is over or somebody leaves; the exit code.
    int run(int signalFd);

  private:
    using Clock = std::chrono::steady_clock;

    bool connect();
    bool wait(int signalFd);
    void readClass();
    void take(const ClassLine& line);
    void become(const ClassStart& start);
    void readRank();
    void endRank();
    void tell();
    void say(const std::string& kind, const std::string& text, std::int64_t number = 0);
    void end(int exitCode) { m_exitCode = exitCode; }

    SeatPlan m_plan;
    std::unique_ptr<ClassGuest> m_guest;      // none while the connection is lost
    std::unique_ptr<ClassGuest> m_lostGuest;  // keeps the files that a rank still reads
    std::unique_ptr<ChildProcess> m_rank;     // destroyed before the files
    LineSplitter m_output{8192};
    std::string m_lastWords;
    std::string m_said;
    std::optional<int> m_exitCode;
    Clock::time_point m_lostAt{};
    Clock::time_point m_tryAt{};
    Clock::time_point m_tellAt{};
    Clock::time_point m_heardAt{};
    bool m_everThere = false;
};

}  // namespace ringside
