// SPDX-License-Identifier: Apache-2.0
#include "watch/run/command_process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

// Returns this process's environment with the given variables replaced or added.
std::vector<std::string> mergedEnvironment(const std::vector<std::string>& added) {
    std::vector<std::string> all = added;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string name(*entry, std::strcspn(*entry, "=") + 1);
        bool replaced = false;
        for (const std::string& own : added) replaced = replaced || own.starts_with(name);
        if (!replaced) all.emplace_back(*entry);
    }
    return all;
}

std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// Replaces the child process by the command. Resets SIGPIPE and SIGXFSZ to their default actions, because this program
// ignores them and the command would inherit that.
[[noreturn]] void becomeCommand(char** words, char** environment, const CommandOptions& options, int errorFd) {
    for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &options.signalMask, nullptr);
    if (options.outputFd < 0 || ::dup2(options.outputFd, STDOUT_FILENO) >= 0) ::execvpe(words[0], words, environment);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(errorFd, &error, sizeof error);
    ::_exit(127);
}

int readError(int fd) {
    int error = 0;
    ssize_t got = 0;
    do {
        got = ::read(fd, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

std::string remedyFor(int error) {
    if (error == ENOENT) return "check the name of the program and PATH";
    if (error == EACCES) return "begin the command with a program, such as python3 train.py";
    return "check the command line";
}

[[noreturn]] void failStarting(const CommandOptions& options, int error) {
    throw IoError(options.words.front() + " cannot be started (" + errnoText(error) + "): " + remedyFor(error));
}

}  // namespace

CommandProcess::CommandProcess(const CommandOptions& options) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw IoError("a pipe cannot be created (" + errnoText(errno) + ")");
    const UniqueFd reader(fds[0]);
    UniqueFd writer(fds[1]);
    const std::vector<std::string> environment = mergedEnvironment(options.environment);
    std::vector<char*> words = pointersTo(options.words);
    std::vector<char*> variables = pointersTo(environment);
    m_pid = ::fork();
    if (m_pid == 0) becomeCommand(words.data(), variables.data(), options, writer.get());
    const int forkError = m_pid < 0 ? errno : 0;
    writer.reset();
    const int error = forkError != 0 ? forkError : readError(reader.get());
    if (error != 0) {
        if (m_pid > 0) ::waitpid(m_pid, nullptr, 0);
        failStarting(options, error);
    }
    m_pidFd.reset(static_cast<int>(::syscall(SYS_pidfd_open, m_pid, 0)));
}

void CommandProcess::signal(int number) const {
    if (m_pid > 0 && !m_end) ::kill(m_pid, number);
}

const std::optional<ChildEnd>& CommandProcess::poll() {
    int status = 0;
    if (!m_end && ::waitpid(m_pid, &status, WNOHANG) == m_pid) {
        m_end =
            WIFSIGNALED(status) ? ChildEnd{true, WTERMSIG(status), false} : ChildEnd{false, WEXITSTATUS(status), false};
        m_pidFd.reset();
    }
    return m_end;
}

void replaceByCommand(const CommandOptions& options) {
    const std::vector<std::string> environment = mergedEnvironment(options.environment);
    std::vector<char*> words = pointersTo(options.words);
    std::vector<char*> variables = pointersTo(environment);
    for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_DFL);
    ::execvpe(words[0], words.data(), variables.data());
    failStarting(options, errno);
}

}  // namespace ringside
