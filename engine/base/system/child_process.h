// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"

namespace ringside {

// File descriptor passed to a child: `target` in the child is a duplicate of `source` in the parent.
struct InheritedFd {
    int source = -1;
    int target = -1;
};

struct ChildOptions {
    std::filesystem::path program;
    std::vector<std::string> arguments;  // arguments of the program, without its name
    std::vector<InheritedFd> fds;  // descriptors that the child inherits; all other descriptors are closed; standard
                                   // input is /dev/null unless listed
    std::vector<std::string> environment;  // environment variables "NAME=value"; override the parent's variables
};

// Exit status of a process.
struct ChildEnd {
    bool signalled = false;
    int code = 0;       // exit code, or number of the signal that ended the process
    bool lost = false;  // true for a rank on another host whose connection closed without an exit code; signalled is
                        // true too
    bool left = false;  // true for a rank that the user of its computer has ended, and that has reported this

    std::string text() const;  // returns, for example, "exited with code 3" or "was killed by signal 9 (SIGKILL)"
    // Returns the exit code that a shell reports: 128 + n after signal n.
    int shellCode() const { return signalled ? 128 + code : code; }
};

// Child process in its own process group. The kernel kills it when the thread that started it ends, and the destructor
// kills it if it still runs. Standard output and standard error both arrive on outputFd().
class ChildProcess {
  public:
    // Throws IoError when the program cannot be started.
    explicit ChildProcess(const ChildOptions& options);
    ~ChildProcess();
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) = delete;

    pid_t pid() const { return m_pid; }
    // Returns a descriptor that becomes readable when the process has ended.
    int exitFd() const { return m_pidFd.get(); }
    int outputFd() const { return m_output.get(); }
    void closeOutputFd() { m_output.reset(); }

    // Sends the signal to the whole process group. Has no effect after poll() has returned the exit status.
    void signal(int number) const;
    // Returns the exit status without waiting. Empty while the process runs.
    const std::optional<ChildEnd>& poll();
    const std::optional<ChildEnd>& end() const { return m_end; }

  private:
    pid_t m_pid = -1;
    UniqueFd m_pidFd;
    UniqueFd m_output;
    std::optional<ChildEnd> m_end;
};

// Returns "SIGKILL" for 9, and "signal 99" for a number without a name.
std::string signalName(int number);

}  // namespace ringside
