// SPDX-License-Identifier: Apache-2.0
#include "base/system/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

struct Pipe {
    UniqueFd reader, writer;
};

Pipe makePipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) {
        throw IoError("a pipe cannot be created (" + errnoText(errno) + "): raise the limit of open files");
    }
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> mergedEnvironment(const std::vector<std::string>& added) {
    std::vector<std::string> all = added;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string name(*entry, std::strcspn(*entry, "=") + 1);
        bool replaced = false;
        for (const std::string& own : added) replaced = replaced || own.rfind(name, 0) == 0;
        if (!replaced) all.emplace_back(*entry);
    }
    return all;
}

// Data for the child, prepared before fork(), because only async-signal-safe calls are allowed after it.
struct Image {
    std::vector<std::string> argumentTexts;
    std::vector<std::string> environmentTexts;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    std::vector<InheritedFd> fds;
    const char* program = nullptr;
    pid_t parent = 0;
    int errorFd = -1;
    int firstFreeFd = 0;  // descriptor number above all targets; copies of the sources get this number or a higher one,
                          // so that dup2() overwrites none of them
};

// Returns the lowest descriptor number above all targets. A fixed high number would exceed small limits (ulimit -n).
int firstFreeFd(const std::vector<InheritedFd>& fds) {
    int highest = STDERR_FILENO;
    for (const InheritedFd& fd : fds) highest = std::max(highest, fd.target);
    return highest + 1;
}

[[noreturn]] void failChild(int errorFd) {
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(errorFd, &error, sizeof error);
    ::_exit(127);
}

// Duplicates a descriptor to a number above all targets. Returns -1 with errno EMFILE if the limit of open descriptors
// is too low.
int duplicate(int fd, const Image& image) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, image.firstFreeFd);
    if (copy >= 0) return copy;
    if (errno == EINVAL) errno = EMFILE;  // the lowest allowed number is beyond the limit
    failChild(image.errorFd);
}

[[noreturn]] void becomeChild(Image& image) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Ends this process if the parent died before the call of prctl(), because the kernel then sends no signal.
    if (::getppid() != image.parent) ::_exit(127);
    const int errorFd = duplicate(image.errorFd, image);
    for (InheritedFd& fd : image.fds) fd.source = duplicate(fd.source, image);
    for (const InheritedFd& fd : image.fds) {
        if (::dup2(fd.source, fd.target) < 0) failChild(errorFd);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) ::signal(number, SIG_DFL);
    ::execve(image.program, image.arguments.data(), image.environment.data());
    failChild(errorFd);
}

// Returns the errno of a failed exec, or 0 if exec succeeded. Also returns 0 after 2 s without a result: a child that
// is stopped before exec counts as started, and the heartbeat timeout applies to it.
int readStartError(int fd) {
    constexpr int kPatienceMs = 2000;
    pollfd closed{fd, POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&closed, 1, kPatienceMs);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) return 0;
    int error = 0;
    ssize_t got = 0;
    do {
        got = ::read(fd, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

[[noreturn]] void failStarting(const std::filesystem::path& program, int error) {
    const bool isLimit = error == EMFILE || error == ENFILE;
    throw IoError(program.string() + " cannot be started (" + errnoText(error) +
                  (isLimit ? "): raise the limit of open files" : "): check the installation"));
}

}  // namespace

std::string signalName(int number) {
    const char* name = ::sigabbrev_np(number);
    return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

std::string ChildEnd::text() const {
    if (lost) return "disappeared without a message (process, host or network failure)";
    if (left) return "left the run";
    if (signalled) return "was killed by signal " + std::to_string(code) + " (" + signalName(code) + ")";
    return "exited with code " + std::to_string(code);
}

ChildProcess::ChildProcess(const ChildOptions& options) {
    Pipe output = makePipe();
    Pipe error = makePipe();
    const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Image image;
    image.argumentTexts = options.arguments;
    image.argumentTexts.insert(image.argumentTexts.begin(), options.program.string());
    image.environmentTexts = mergedEnvironment(options.environment);
    image.arguments = pointersTo(image.argumentTexts);
    image.environment = pointersTo(image.environmentTexts);
    image.fds = options.fds;
    const bool hasInput = std::any_of(options.fds.begin(), options.fds.end(),
                                      [](const InheritedFd& fd) { return fd.target == STDIN_FILENO; });
    if (!hasInput) image.fds.push_back({nothing.get(), STDIN_FILENO});
    image.fds.push_back({output.writer.get(), STDOUT_FILENO});
    image.fds.push_back({output.writer.get(), STDERR_FILENO});
    image.program = options.program.c_str();
    image.parent = ::getpid();
    image.errorFd = error.writer.get();
    image.firstFreeFd = firstFreeFd(image.fds);

    m_pid = ::fork();
    if (m_pid < 0) failStarting(options.program, errno);
    if (m_pid == 0) becomeChild(image);
    ::setpgid(m_pid, m_pid);  // called in parent and child, because either may run first
    error.writer.reset();
    if (const int startError = readStartError(error.reader.get()); startError != 0) {
        ::waitpid(m_pid, nullptr, 0);
        m_pid = -1;
        failStarting(options.program, startError);
    }
    m_pidFd.reset(static_cast<int>(::syscall(SYS_pidfd_open, m_pid, 0)));
    m_output = std::move(output.reader);
    ::fcntl(m_output.get(), F_SETFL, O_NONBLOCK);
    if (!m_pidFd) {
        const int pidFdError = errno;
        signal(SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
        m_pid = -1;
        failStarting(options.program, pidFdError);
    }
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)),
      m_pidFd(std::move(other.m_pidFd)),
      m_output(std::move(other.m_output)),
      m_end(other.m_end) {}

ChildProcess::~ChildProcess() {
    if (m_pid < 0 || m_end) return;
    ::kill(-m_pid, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void ChildProcess::signal(int number) const {
    if (m_pid > 0 && !m_end) ::kill(-m_pid, number);
}

const std::optional<ChildEnd>& ChildProcess::poll() {
    int status = 0;
    if (m_pid > 0 && !m_end && ::waitpid(m_pid, &status, WNOHANG) == m_pid) {
        m_end =
            WIFSIGNALED(status) ? ChildEnd{true, WTERMSIG(status), false} : ChildEnd{false, WEXITSTATUS(status), false};
    }
    return m_end;
}

}  // namespace ringside
