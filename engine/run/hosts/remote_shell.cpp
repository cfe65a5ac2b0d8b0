// SPDX-License-Identifier: Apache-2.0
#include "run/hosts/remote_shell.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "base/text/line_stream.h"
#include "base/text/shell_word.h"

namespace ringside {
namespace {

std::string filledIn(std::string word, const std::string& name, const std::string& value) {
    const std::size_t at = word.find(name);
    return at == std::string::npos ? word : word.replace(at, name.size(), value);
}

// Starts the shell with a pipe as its standard input, and stores the writing end in `input`.
ChildProcess start(const std::vector<std::string>& words, UniqueFd& input) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw IoError("a pipe cannot be created (" + errnoText(errno) + ")");
    const UniqueFd reader(fds[0]);
    input = UniqueFd(fds[1]);
    ChildOptions options;
    options.program = "/usr/bin/env";  // "env" searches PATH for the remote shell
    options.arguments = words;
    options.fds = {{reader.get(), STDIN_FILENO}};
    return ChildProcess(options);
}

}  // namespace

std::string remoteCommand(const std::vector<std::string>& words) {
    std::string command;
    for (const std::string& word : words) command += shellWord(word) + " ";
    return "read -r RINGSIDE_TOKEN; export RINGSIDE_TOKEN; exec 9<&0; " + command +
           "</dev/null 9<&- & P=$!; { cat <&9; kill -TERM $P; } >/dev/null 2>&1 & W=$!; exec 9<&-; "
           "wait $P; C=$?; kill $W 2>/dev/null; exit $C";
}

std::vector<std::string> shellWords(const std::vector<std::string>& shell, const std::string& host,
                                    const std::string& command) {
    std::vector<std::string> words;
    for (const std::string& word : shell)
        words.push_back(filledIn(filledIn(word, "{host}", host), "{command}", command));
    return words;
}

RemoteShell::RemoteShell(int rank, std::string host, const std::vector<std::string>& words)
    : m_rank(rank), m_host(std::move(host)), m_child(start(words, m_input)) {}

void RemoteShell::sendToken(const std::string& token) const {
    const std::string line = token + "\n";
    [[maybe_unused]] const ssize_t written = ::write(m_input.get(), line.data(), line.size());
}

std::optional<int> RemoteShell::exitCode() {
    const auto& end = m_child.poll();
    if (!end) return {};
    return end->shellCode();
}

void RemoteShell::forwardOutput(const LineSink& print) {
    readAvailable(m_child.outputFd(), m_lines, print);
}

}  // namespace ringside
