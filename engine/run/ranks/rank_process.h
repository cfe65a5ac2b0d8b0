// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "base/system/child_process.h"
#include "base/text/line_splitter.h"
#include "launch/layout/rank_environment.h"
#include "run/ranks/rank_link.h"

namespace ringside {

// Program, environment and shared memory of all workers of a run.
struct WorkerProgram {
    std::filesystem::path program;
    std::vector<std::string> environment;  // environment variables "NAME=value", added to those of this process
    int sharedFd = -1;                     // descriptor of the shared memory for the collectives; -1 if none
};

// Worker process on this host, and the supervisor's ends of its channels. The destructor kills the process.
class RankProcess final : public RankLink {
  public:
    static constexpr std::size_t kMaxLastLines = 20;

    // Starts the worker. storeSocket: set to this process's end of the connection to the store. Throws IoError.
    RankProcess(const WorkerProgram& worker, const RankEnvironment& environment, UniqueFd& storeSocket);

    pid_t pid() const override { return m_process.pid(); }
    bool readTelemetry(const LineSink& line) override;
    bool readOutput(const LineSink& line) override;
    int outputFd() const override { return m_process.outputFd(); }
    int exitFd() const override { return m_process.end() ? -1 : m_process.exitFd(); }

    const std::optional<ChildEnd>& poll() override { return m_process.poll(); }
    const std::optional<ChildEnd>& end() const override { return m_process.end(); }
    void signal(int number) override { m_process.signal(number); }
    void sendControl(std::string_view line) const override;
    std::vector<std::string> lastLines() const override;
    bool isStopped() const override;

  private:
    UniqueFd m_control;
    UniqueFd m_telemetry;
    LineSplitter m_telemetryLines;
    LineSplitter m_outputLines;
    std::deque<std::string> m_lastLines;
    ChildProcess m_process;
};

}  // namespace ringside
