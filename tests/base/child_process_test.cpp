// SPDX-License-Identifier: Apache-2.0
#include "base/system/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/errors/errors.h"
#include "base/text/line_splitter.h"
#include "support/catch.h"

using namespace ringside;

namespace {

ChildOptions shell(const std::string& script) {
    ChildOptions options;
    options.program = "/bin/sh";
    options.arguments = {"-c", script};
    return options;
}

ChildEnd endOf(ChildProcess& child) {
    pollfd ended{child.exitFd(), POLLIN, 0};
    REQUIRE(::poll(&ended, 1, 10000) == 1);
    REQUIRE(child.poll());
    return *child.end();
}

std::string outputOf(ChildProcess& child) {
    std::string text;
    std::array<char, 256> buffer;
    for (;;) {
        pollfd ready{child.outputFd(), POLLIN, 0};
        REQUIRE(::poll(&ready, 1, 10000) == 1);
        const ssize_t got = ::read(child.outputFd(), buffer.data(), buffer.size());
        if (got <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

// Lowers the limit of open files of this process during its lifetime.
class OpenFileLimit {
  public:
    explicit OpenFileLimit(rlim_t most) {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &m_before) == 0);
        const rlimit limit{most, m_before.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    }
    ~OpenFileLimit() { ::setrlimit(RLIMIT_NOFILE, &m_before); }

  private:
    rlimit m_before{};
};

// Returns the lowest file descriptor that is free.
int lowestFree() {
    return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();
}

bool stopAfterFork = false;

void stopWhenAsked() {
    if (stopAfterFork) ::raise(SIGSTOP);
}

}  // namespace

TEST_CASE("starting a child does not block if the child is stopped before exec") {
    REQUIRE(::pthread_atfork(nullptr, nullptr, &stopWhenAsked) == 0);
    stopAfterFork = true;
    ChildProcess child(shell("echo on"));
    stopAfterFork = false;
    CHECK_FALSE(child.poll());
    child.signal(SIGCONT);
    CHECK(outputOf(child) == "on\n");
    CHECK(endOf(child).code == 0);
}

TEST_CASE("a child's exit code and signal are distinguished") {
    ChildProcess exits(shell("exit 3"));
    const ChildEnd code = endOf(exits);
    CHECK_FALSE(code.signalled);
    CHECK(code.text() == "exited with code 3");
    ChildProcess dies(shell("kill -9 $$"));
    CHECK(endOf(dies).text() == "was killed by signal 9 (SIGKILL)");
}

TEST_CASE("standard output and standard error arrive, standard input is empty") {
    ChildProcess child(shell("read line && echo input; echo out; echo err >&2"));
    CHECK(outputOf(child) == "out\nerr\n");
}

TEST_CASE("descriptors reach their targets even if sources and targets overlap") {
    int first[2];
    int second[2];
    REQUIRE(::pipe2(first, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(second, O_CLOEXEC) == 0);
    const UniqueFd firstEnd(first[0]), firstWriter(first[1]), secondEnd(second[0]), secondWriter(second[1]);
    ChildOptions options = shell("echo a >&" + std::to_string(second[1]) + "; echo b >&" + std::to_string(first[1]));
    options.fds = {{first[1], second[1]}, {second[1], first[1]}};
    ChildProcess child(options);
    CHECK(endOf(child).code == 0);
    char text[2];
    CHECK(::read(first[0], text, 2) == 2);
    CHECK(text[0] == 'a');
    CHECK(::read(second[0], text, 2) == 2);
    CHECK(text[0] == 'b');
}

TEST_CASE("a child starts under a limit of 64 open files") {
    const OpenFileLimit limit(64);
    ChildProcess child(shell("ulimit -n"));
    CHECK(outputOf(child) == "64\n");
    CHECK(endOf(child).code == 0);
}

TEST_CASE("a child without a free descriptor is reported with the limit, not with an exit code") {
    // ChildProcess opens two pipes and /dev/null in this process: 5 descriptors. The child also gets a copy of each
    // descriptor that it inherits.
    constexpr int kHere = 5;
    const int free = lowestFree();
    const OpenFileLimit limit(static_cast<rlim_t>(free + kHere));
    ChildOptions options = shell("exit 0");
    options.fds = {{STDIN_FILENO, free + kHere - 1}};  // the copies get numbers above this one
    CHECK_THROWS_WITH(ChildProcess(options),
                      containing("Too many open files: ulimit -n allows " + std::to_string(free + kHere) +
                                 "): raise the limit of open files"));
}

TEST_CASE("added environment replaces the parent's") {
    ::setenv("RINGSIDE_TEST_VALUE", "old", 1);
    ChildOptions options = shell("echo $RINGSIDE_TEST_VALUE");
    options.environment = {"RINGSIDE_TEST_VALUE=new"};
    ChildProcess child(options);
    CHECK(outputOf(child) == "new\n");
}

TEST_CASE("a program that cannot be executed is an IoError with the reason") {
    ChildOptions options;
    options.program = "/no/such/program";
    CHECK_THROWS_AS(ChildProcess(options), IoError);
    options.program = "/etc/passwd";
    CHECK_THROWS_WITH(ChildProcess(options), containing("Permission denied"));
}

TEST_CASE("destroying a child kills its whole process group") {
    pid_t pid = 0;
    {
        ChildProcess child(shell("sleep 1000 & wait"));
        pid = child.pid();
        CHECK_FALSE(child.poll());
    }
    CHECK(::kill(pid, 0) == -1);
    CHECK(errno == ESRCH);
}

TEST_CASE("lines are complete for any chunking, and too long ones are skipped") {
    const std::string text = "one\n\ntwo two\n0123456789abcdef\nlast\nrest";
    for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
        LineSplitter splitter(10);
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size(); at += chunk) {
            splitter.feed(std::string_view(text).substr(at, chunk),
                          [&](std::string_view line) { lines.emplace_back(line); });
        }
        REQUIRE(lines == std::vector<std::string>{"one", "", "two two", "last"});
        REQUIRE(splitter.partial() == "rest");
        REQUIRE(splitter.skippedLines() == 1);
    }
}
