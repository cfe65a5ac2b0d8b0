// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "run/supervise/host_load.h"
#include "run/supervise/live_commands.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Settings of a Supervisor. Callbacks run on the supervisor's thread.
struct SupervisorOptions {
    std::filesystem::path workerProgram;
    std::vector<std::string> workerEnvironment;  // environment variables "NAME=value" for all workers
    std::int64_t runStartUs = 0;                 // start of the run's time, in microseconds of CLOCK_MONOTONIC
    int stopFd = -1;                             // descriptor, such as a signalfd; each time it is readable, one stop
                                                 // is requested
    int stopOnceFd = -1;  // descriptor that becomes readable once or several times when the terminal is closed; all
                          // events together are one stop request
    // Minimum of the deadline for the first telemetry line of a worker; see runDeadlines().
    std::chrono::milliseconds startDeadline{10000};
    // Time from the stop request to the first log line that names the rank the stop waits for.
    std::chrono::milliseconds waitLogInterval{3000};
    std::chrono::milliseconds terminateGrace{1000};  // time between SIGTERM and SIGKILL
    std::chrono::milliseconds backOff{1000};         // pause before the first restart; each further pause is twice as
                                                     // long, at most 30 s
    // Time from the end of a rank that may have failed because of a peer to the verdict. If other ranks end in this
    // time, their ends can show the cause.
    std::chrono::milliseconds settleTime{400};
    // Time added to the timeout of collectives before a rank without progress counts as hung, so that the ranks can
    // report a missing peer first.
    std::chrono::milliseconds stallGrace{3000};
    std::function<HostLoad(int ranks)> readLoad = readHostLoad;
    bool mayBeKilled = false;        // true: a launcher may kill this process soon after a failure or a stop request
    int sharedFd = -1;               // descriptor of the shared memory for the collectives; -1: start() creates it for
                                     // the shm backend
    std::vector<int> hosts;          // host index of each rank, 0 = this host; empty: all ranks are on this host
    std::string address;             // address of this host for the other hosts
    std::vector<std::string> notes;  // lines that are written to the log at the start
    std::string hostName;            // name of this host in the record; empty: not recorded
    std::int64_t restart = 0;        // number of earlier restarts of the whole group of processes
    // Control commands that the ranks execute again: those in effect before the earlier restarts, or those of the run
    // that is resumed.
    LiveCommands commands;
    // Called after events were recorded. The second argument contains a RunChange bit for each part of the data that
    // changed.
    std::function<void(const RunData&, unsigned)> onChange;
};

}  // namespace ringside
