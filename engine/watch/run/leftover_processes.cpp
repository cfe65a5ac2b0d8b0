// SPDX-License-Identifier: Apache-2.0
#include "watch/run/leftover_processes.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ringside {
namespace {

// State and parent of a process, read from /proc/PID/stat. The parent is 0 if the process does not exist any more.
struct ProcessState {
    char state = 'X';
    pid_t parent = 0;
};
ProcessState stateOf(const std::filesystem::path& directory) {
    std::ifstream file(directory / "stat");
    std::string line;
    std::getline(file, line);
    // end of the program name in /proc/PID/stat; the name is in parentheses and may itself contain ") "
    const std::size_t name = line.rfind(") ");
    if (name == std::string::npos || line.size() < name + 5) return {};
    return {line[name + 2], static_cast<pid_t>(std::atoi(line.c_str() + name + 4))};
}

}  // namespace

void adoptLeftoverProcesses() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> leftoverProcesses(pid_t command) {
    std::vector<pid_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator one("/proc", error), end; !error && one != end; one.increment(error)) {
        const pid_t pid = static_cast<pid_t>(std::atoi(one->path().filename().c_str()));
        if (pid <= 0 || pid == command) continue;
        const ProcessState process = stateOf(one->path());
        if (process.parent == ::getpid() && process.state != 'Z' && process.state != 'X') found.push_back(pid);
    }
    return found;
}

void reapLeftoverProcesses(pid_t command) {
    for (;;) {
        siginfo_t info{};
        if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
        if (info.si_pid == command) return;
        ::waitpid(info.si_pid, nullptr, WNOHANG);
    }
}

}  // namespace ringside
