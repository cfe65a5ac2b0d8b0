// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"

namespace ringside {

// The child's descriptor `target` shall be the parent's `source`.
struct InheritedFd {
    int source = -1;
    int target = -1;
};

struct ChildOptions {
    std::filesystem::path program;
    std::vector<std::string> arguments;    // without the program's name
    std::vector<InheritedFd> fds;          // everything else is closed; standard input is /dev/null unless given
    std::vector<std::string> environment;  // "NAME=value", added to the parent's
};

// How a process ended.
struct ChildEnd {
    bool signalled = false;
    int code = 0;       // exit code, or signal number
    bool lost = false;  // of a rank elsewhere: gone without a word, nobody knows how; signalled as well

    std::string text() const;  // "exited with code 3", "was killed by signal 9 (SIGKILL)"
};

// One process of ours, in a process group of its own, killed by the kernel when the parent thread dies. Destroying it
// kills what still runs. Standard output and standard error arrive together on outputFd().
class ChildProcess {
  public:
    // Throws IoError when the program cannot be started.
    explicit ChildProcess(const ChildOptions& options);
    ~ChildProcess();
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) = delete;

    pid_t pid() const { return m_pid; }
    int exitFd() const { return m_pidFd.get(); }  // readable once the process has ended
    int outputFd() const { return m_output.get(); }
    void closeOutput() { m_output.reset(); }

    void signal(int number) const;  // to the whole group; nothing once it has ended
    // Collects the end without waiting; empty while the process runs.
    const std::optional<ChildEnd>& poll();
    const std::optional<ChildEnd>& end() const { return m_end; }

  private:
    pid_t m_pid = -1;
    UniqueFd m_pidFd;
    UniqueFd m_output;
    std::optional<ChildEnd> m_end;
};

// "SIGKILL" for 9; "signal 99" for a number without a name.
std::string signalName(int number);

}  // namespace ringside
