// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/clock.h"
#include "base/line_splitter.h"
#include "launch/rank_environment.h"
#include "run/supervise/rank_movement.h"

namespace ringside {

// What all workers of a run have in common.
struct WorkerProgram {
    std::filesystem::path program;
    std::vector<std::string> environment;  // "NAME=value", added to ours
    int sharedFd = -1;                     // memory for the collectives
};

// One worker process and the supervisor's ends of its channels. All reads are without waiting.
class RankProcess {
  public:
    static constexpr std::size_t kTailLines = 20;

    // Starts the worker; storeSocket receives the store's end. Throws IoError.
    RankProcess(const WorkerProgram& worker, const RankEnvironment& environment, UniqueFd& storeSocket);

    int rank() const { return m_rank; }
    ChildProcess& process() { return m_process; }
    const ChildProcess& process() const { return m_process; }

    // Reads what is there; false once the stream has ended.
    bool readTelemetry(const std::function<void(std::string_view)>& line);
    bool readOutput(const std::function<void(std::string_view)>& line);

    void sendControl(std::string_view line) const;  // dropped when the worker does not read
    std::vector<std::string> tail() const;          // its last lines of output, a partial one included
    bool isStopped() const;                         // by SIGSTOP or a debugger

    TimePoint lastHeard{};
    RankMovement movement;
    bool everHeard = false;
    int endOrder = 0;

  private:
    int m_rank;
    UniqueFd m_control;
    UniqueFd m_telemetry;
    LineSplitter m_telemetryLines;
    LineSplitter m_outputLines;
    std::deque<std::string> m_tail;
    ChildProcess m_process;
};

}  // namespace ringside
