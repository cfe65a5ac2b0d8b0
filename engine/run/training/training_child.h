// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"
#include "base/system/child_process.h"
#include "config/run_config.h"
#include "run/read/run_summary.h"

namespace ringside {

// Result of a training in a child process.
struct TrainedChild {
    std::filesystem::path run;  // path of the run directory of the training
    RunSummary summary;
};

// Training of one experiment in a child process `ringsidectl run`. The destructor ends the process.
//
// Used by one thread. Only wait() blocks. An event loop can poll outputFd() and exitFd() instead, and call advance()
// when one of them is readable.
class TrainingChild {
  public:
    // Starts the training. Its run directory is directory/name. program: path of ringsidectl. Throws IoError.
    TrainingChild(const std::filesystem::path& program, const RunConfig& config, const std::string& name,
                  const std::filesystem::path& directory);

    int outputFd() const { return m_child.outputFd(); }  // returns a descriptor that is readable when there is output
    // Returns a descriptor that is readable when the process has ended.
    int exitFd() const { return m_child.exitFd(); }

    // Reads the available output. Returns true once the process has ended.
    bool advance();
    // Returns the result, or a problem if the training failed. Must be called after advance() has returned true.
    Result<TrainedChild> result() const;
    // Blocks until the process has ended, and returns the result. If stopFd becomes readable, requests the process to
    // stop, waits up to 10 s for its end, and throws StoppedError. stopFd -1: the wait cannot be interrupted.
    Result<TrainedChild> wait(int stopFd = -1);

  private:
    void stop();
    std::string failureText(const Result<RunSummary>& summary) const;

    std::filesystem::path m_run;
    ChildProcess m_child;
    std::string m_output;
    bool m_outputEnded = false;
};

}  // namespace ringside
