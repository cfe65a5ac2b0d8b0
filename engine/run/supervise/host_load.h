// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace ringside {

// Processes that share the CPUs of this host.
struct HostLoad {
    int ranks = 1;       // number of ranks of the run on this host
    int processors = 1;  // number of CPUs that the ranks may use
    double others = 0;   // number of runnable processes of other programs
};

// Reads the load of this host: the larger of the load average of the last minute and the number of processes that are
// runnable now (proc_loadavg(5)).
HostLoad readHostLoad(int ranks);

// Deadlines of a run, which are longer if its ranks get little CPU time.
struct RunDeadlines {
    std::chrono::milliseconds start{0};  // limit for the time from the start of a rank's process to its first telemetry
    double timeoutFactor = 1;            // factor by which parallel.timeout_seconds is multiplied, at least 1
};

// Returns the deadlines of a run on this host.
//
// The start deadline is the larger of `least` and `timeout`, plus the time that a rank waits until it has received 250
// ms of CPU time. Ranks run at niceness 10, where the kernel gives a process of another program 9.3 times as much CPU
// time. timeoutFactor increases in proportion to the number of ranks per CPU above 8, and of runnable processes per CPU
// above 16.
RunDeadlines runDeadlines(std::chrono::milliseconds least, std::chrono::milliseconds timeout, const HostLoad& load);

// Returns a line for the log about deadlines that are extended by half or more; empty if there are none.
std::string deadlinesText(const RunDeadlines& deadlines, std::chrono::milliseconds least,
                          std::chrono::milliseconds timeout, const HostLoad& load);

}  // namespace ringside
