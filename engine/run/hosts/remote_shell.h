// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/child_process.h"
#include "base/system/unique_fd.h"
#include "base/text/line_splitter.h"

namespace ringside {

// Returns the command line that a remote shell executes for one rank. The command line reads the run's token (a secret)
// from standard input, because other users of the host can see command lines. It terminates the rank when standard
// input is closed, which happens when this program ends for any reason. words: the worker program and its arguments.
std::string remoteCommand(const std::vector<std::string>& words);

// Returns the words of the remote shell's command line, in which {host} and {command} are replaced.
std::vector<std::string> shellWords(const std::vector<std::string>& shell, const std::string& host,
                                    const std::string& command);

// Remote shell that runs one rank. The destructor kills it; the rank then ends because its standard input is closed.
// Not thread-safe.
class RemoteShell {
  public:
    using LineSink = std::function<void(std::string_view line)>;

    // Starts the remote shell, a program that is found in PATH. words: see shellWords(). Throws IoError.
    RemoteShell(int rank, std::string host, const std::vector<std::string>& words);

    int rank() const { return m_rank; }
    const std::string& host() const { return m_host; }
    ChildProcess& child() { return m_child; }

    // Sends the token that remoteCommand() reads. The process must ignore SIGPIPE.
    void sendToken(const std::string& token) const;
    // Stops the rank with SIGTERM, by closing its standard input.
    void requestStop() { m_input.reset(); }
    // Returns the exit code of the rank, 128 + n if signal n ended the shell; empty while the shell runs.
    std::optional<int> exitCode();
    // Passes each line of output that has arrived to `print`. Does not block.
    void forwardOutput(const LineSink& print);

  private:
    int m_rank;
    std::string m_host;
    UniqueFd m_input;
    ChildProcess m_child;
    LineSplitter m_lines{8192};
};

}  // namespace ringside
