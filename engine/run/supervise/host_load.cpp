// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/host_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "base/processors/processors.h"
#include "base/text/number_text.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;

// CPU time that a rank needs from its start to its first telemetry, in milliseconds, including a safety factor of about
// 3.
constexpr double kStartCpuMs = 250;
// Weight of a process at niceness 0 in the Linux scheduler, relative to a rank at niceness 10: 1024 / 110.
constexpr double kWeightOfOthers = 9.3;
constexpr double kRanksPerCpu = 8;
constexpr double kProcessesPerCpu = 16;

std::string wholeSeconds(double ms) {
    return fmt::format("{:.0f} s", std::ceil(ms / 1000));
}

}  // namespace

HostLoad readHostLoad(int ranks) {
    HostLoad load{.ranks = ranks, .processors = usableProcessors()};
    std::ifstream file("/proc/loadavg");
    double minute = 0, five = 0, fifteen = 0, runnable = 0;
    if (file >> minute >> five >> fifteen >> runnable) load.others = std::max(minute, runnable - 1);
    return load;
}

RunDeadlines runDeadlines(milliseconds least, milliseconds timeout, const HostLoad& load) {
    const double cpus = std::max(load.processors, 1);
    // Load of the CPUs as a number of ranks: each process of another program counts as kWeightOfOthers ranks.
    const double rivals = load.ranks + kWeightOfOthers * load.others;
    const double waiting = kStartCpuMs * std::max(0.0, rivals / cpus - 1);
    RunDeadlines deadlines;
    deadlines.start = std::max(least, timeout) + milliseconds(std::llround(waiting));
    deadlines.timeoutFactor =
        std::max({1.0, load.ranks / cpus / kRanksPerCpu, (load.ranks + load.others) / cpus / kProcessesPerCpu});
    return deadlines;
}

std::string deadlinesText(const RunDeadlines& deadlines, milliseconds least, milliseconds timeout,
                          const HostLoad& load) {
    const auto start = static_cast<double>(deadlines.start.count());
    const auto idle = static_cast<double>(std::max(least, timeout).count());
    const auto wait = static_cast<double>(timeout.count());
    if (start < 1.5 * idle && deadlines.timeoutFactor < 1.5) return {};
    std::vector<std::string> changes;
    if (wholeSeconds(start) != wholeSeconds(idle))
        changes.push_back("may take " + wholeSeconds(start) + " to start instead of " + wholeSeconds(idle));
    if (const std::string longest = wholeSeconds(deadlines.timeoutFactor * wait); longest != wholeSeconds(wait))
        changes.push_back("counts as hung after " + longest + " instead of " + wholeSeconds(wait) +
                          " (parallel.timeout_seconds)");
    return "this computer is busy: " + counted(std::llround(load.ranks), "rank") +
           (std::llround(load.ranks) == 1 ? " shares " : " share ") + counted(std::llround(load.processors), "CPU") +
           " with " + counted(std::llround(load.others), "process") + " of other programs. A rank " + changes.front() +
           (changes.size() > 1 ? ", and " + changes.back() : std::string());
}

}  // namespace ringside
