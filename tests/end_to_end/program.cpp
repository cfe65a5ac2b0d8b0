// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <map>
#include <sstream>

namespace ringside {
namespace {

using std::chrono::steady_clock;

ChildOptions optionsFor(const std::vector<std::string>& arguments, int inputFd, const std::filesystem::path& program) {
    ChildOptions options;
    options.program = program;
    options.arguments = arguments;
    if (inputFd >= 0) options.fds = {{inputFd, STDIN_FILENO}};
    return options;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, int inputFd, const std::filesystem::path& program)
    : m_child(optionsFor(arguments, inputFd, program)) {}

bool Program::read() {
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t got = ::read(m_child.outputFd(), buffer.data(), buffer.size());
        if (got <= 0) return got == 0;
        m_output.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

int Program::wait(std::chrono::seconds deadline) {
    const auto until = steady_clock::now() + deadline;
    while (steady_clock::now() < until) {
        pollfd ready[] = {{m_child.exitFd(), POLLIN, 0}, {m_child.outputFd(), POLLIN, 0}};
        ::poll(ready, std::size(ready), 100);
        read();
        if (!m_child.poll()) continue;
        read();
        return m_child.end()->signalled ? 128 + m_child.end()->code : m_child.end()->code;
    }
    return -1;
}

std::filesystem::path codeFile(const std::filesystem::path& file, const std::string& code) {
    std::ofstream(file) << code << '\n';
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return file;
}

bool eventually(const std::function<bool()>& holds) {
    const auto begin = steady_clock::now();
    const auto until = begin + std::chrono::seconds(120);
    while (steady_clock::now() < until) {
        if (holds()) return true;
        // Polling takes CPU time from the program that is waited for.
        ::poll(nullptr, 0, steady_clock::now() - begin < std::chrono::seconds(2) ? 5 : 50);
    }
    return holds();
}

std::string contentOf(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

Json jsonOf(const std::filesystem::path& file) {
    return Json::parse(contentOf(file));
}

std::vector<Json> linesOf(const std::filesystem::path& file) {
    std::string text = contentOf(file);
    text.erase(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    std::istringstream stream(text);
    std::vector<Json> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
    return lines;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::vector<pid_t> workerPids(const std::filesystem::path& runDirectory) {
    std::map<int, pid_t> byRank;
    for (const Json& line : linesOf(runDirectory / "telemetry.jsonl")) {
        if (line["kind"] == "rank" && line.contains("pid")) byRank[line["rank"]] = line["pid"];
    }
    std::vector<pid_t> pids;
    for (const auto& [rank, pid] : byRank) pids.push_back(pid);
    return pids;
}

// A zombie process no longer runs.
bool isGone(pid_t pid) {
    const std::string stat = contentOf("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name = stat.rfind(") ");
    return name == std::string::npos || stat[name + 2] == 'Z' || stat[name + 2] == 'X';
}

bool allGone(const std::vector<pid_t>& pids) {
    for (const pid_t pid : pids) {
        if (!isGone(pid)) return false;
    }
    return !pids.empty();
}

bool hasTrained(const std::filesystem::path& runDirectory) {
    return contains(contentOf(runDirectory / "metrics.jsonl"), "\"kind\":\"step\"");
}

}  // namespace ringside
