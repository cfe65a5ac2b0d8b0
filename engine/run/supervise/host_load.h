// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace ringside {

// Processes that share the CPUs of this host.
struct HostLoad {
    int ranks = 1;       // number of ranks of the run on this host
    int processors = 1;  // number of CPUs that the ranks may use
    double others = 0;   // number of other runnable processes
};

// Reads the load of this host: the larger of the load average of the last minute and the number of processes that are
// runnable now (proc_loadavg(5)).
HostLoad readHostLoad(int ranks);

// Deadlines of a run, which are longer if its ranks get little CPU time.
struct RunDeadlines {
    std::chrono::milliseconds start{0};  // limit for the time from the start of a rank to its first sign of life
    double timeoutFactor = 1;            // factor for parallel.timeout_seconds, at least 1
};

// Returns the deadlines of a run. The start deadline is the larger of `least` and `timeout`, plus the time in which a
// rank gets 250 ms of CPU time: ranks run at niceness 10, where the kernel gives other processes 9.3 times as much. The
// timeout grows in proportion above 8 ranks on a CPU, and above 16 runnable processes on a CPU.
RunDeadlines runDeadlines(std::chrono::milliseconds least, std::chrono::milliseconds timeout, const HostLoad& load);

// Returns the line for the log; empty if no deadline is extended by half or more.
std::string deadlinesText(const RunDeadlines& deadlines, std::chrono::milliseconds least,
                          std::chrono::milliseconds timeout, const HostLoad& load);

}  // namespace ringside
