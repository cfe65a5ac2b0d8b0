// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/system/child_process.h"
#include "base/system/unique_fd.h"

namespace ringside {

// Program, environment and descriptors of a CommandProcess.
struct CommandOptions {
    std::vector<std::string> words;        // program, which is looked up in PATH, and its arguments
    std::vector<std::string> environment;  // environment variables "NAME=value"; override those of this process
    sigset_t signalMask{};                 // signals that are blocked in the command
    int outputFd = -1;                     // descriptor that replaces the standard output; -1: the standard output of
                                           // this process
};

// Command of the user, started as a child process. It has this process's standard input, output and error, its terminal
// and its process group, so that it behaves as without a watcher. It continues if this process ends; the destructor
// does not end it either.
class CommandProcess {
  public:
    // Starts the command. Throws IoError if its program cannot be started.
    explicit CommandProcess(const CommandOptions& options);

    pid_t pid() const { return m_pid; }
    // Returns a descriptor that becomes readable when the command has ended.
    int exitFd() const { return m_pidFd.get(); }
    // Sends a signal to the command; no effect after its end.
    void signal(int number) const;
    // Returns the exit status without waiting. Empty while the command runs.
    const std::optional<ChildEnd>& poll();

  private:
    pid_t m_pid = -1;
    UniqueFd m_pidFd;
    std::optional<ChildEnd> m_end;
};

// Replaces this process by the command. Throws IoError if its program cannot be started.
[[noreturn]] void replaceByCommand(const CommandOptions& options);

}  // namespace ringside
