// SPDX-License-Identifier: Apache-2.0
#include "comm/ranks_as_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "base/errors/errors.h"

namespace ringside::test {
namespace {

void writeLine(int fd, const std::string& line) {
    std::string whole = line + "\n";
    if (::write(fd, whole.data(), whole.size()) < 0) ::_exit(3);
}

[[noreturn]] void runChild(int rank, int fd, const RankProcesses::Body& body) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::string report = "done";
    try {
        body(rank, [fd] { writeLine(fd, "ready"); });
    } catch (const CommError& error) {
        report = "threw " + std::to_string(error.missingRank()) + " " + error.what();
    } catch (const std::exception& error) {
        report = std::string("threw -1 ") + error.what();
    }
    writeLine(fd, report);
    ::_exit(0);
}

}  // namespace

RankProcesses::RankProcesses(int size, const Body& body) : m_children(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) {
        int fds[2];
        if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        pid_t pid = ::fork();
        if (pid == 0) runChild(rank, fds[1], body);
        ::close(fds[1]);
        m_children[static_cast<std::size_t>(rank)] = {pid, UniqueFd(fds[0]), false};
    }
}

RankProcesses::~RankProcesses() {
    for (auto& child : m_children) {
        if (child.pid <= 0) continue;
        ::kill(child.pid, SIGKILL);
        ::waitpid(child.pid, nullptr, 0);
    }
}

std::string RankProcesses::readLine(Child& child) {
    std::string line;
    while (true) {
        pollfd poll{child.pipe.get(), POLLIN, 0};
        if (::poll(&poll, 1, 30'000) <= 0) throw std::runtime_error("a rank sent nothing for 30 s");
        char c = 0;
        if (::read(child.pipe.get(), &c, 1) <= 0) return "killed";
        if (c == '\n') return line;
        line += c;
    }
}

void RankProcesses::waitUntilReady() {
    for (auto& child : m_children) {
        std::string line = readLine(child);
        if (line != "ready") throw std::runtime_error("a rank was not ready: " + line);
    }
}

void RankProcesses::signal(int rank, int number) {
    ::kill(m_children[static_cast<std::size_t>(rank)].pid, number);
}

RankProcesses::Report RankProcesses::report(int rank) {
    std::string line;
    do {
        line = readLine(m_children[static_cast<std::size_t>(rank)]);
    } while (line == "ready");
    if (line == "killed") return {};
    if (line == "done") return {true, false, -1, {}};
    std::size_t space = line.find(' ', 6);
    return {true, true, std::stoi(line.substr(6, space - 6)), line.substr(space + 1)};
}

}  // namespace ringside::test
