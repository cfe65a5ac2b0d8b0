// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "run/supervise/host_load.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Settings of a Supervisor. Callbacks run on the supervisor's thread.
struct SupervisorOptions {
    std::filesystem::path workerProgram;
    std::vector<std::string> workerEnvironment;  // environment variables "NAME=value" for all workers
    std::int64_t epochUs = 0;                    // start of the run's time, in microseconds of CLOCK_MONOTONIC
    int stopFd = -1;                             // descriptor, such as a signalfd, on which each readable event
                                                 // requests a stop
    int hangUpFd = -1;  // descriptor of a closing terminal: several events are one stop request
    // Minimum of the deadline for a worker's first telemetry line (runDeadlines()).
    std::chrono::milliseconds startDeadline{10000};
    // Time from the stop request to the first line "waiting for" in the log.
    std::chrono::milliseconds waitLogInterval{3000};
    std::chrono::milliseconds terminateGrace{1000};  // time between SIGTERM and SIGKILL
    std::chrono::milliseconds backOff{1000};         // delay of the first restart; doubles each time, at most 30 s
    // Time to wait for the ends of other ranks before the first end is judged.
    std::chrono::milliseconds settleTime{400};
    // Additional time after the timeout, in which ranks can report a missing peer before they are judged.
    std::chrono::milliseconds stillGrace{3000};
    std::function<HostLoad(int ranks)> readLoad = readHostLoad;
    bool mayBeKilled = false;        // true: a launcher may kill this process soon after a failure or a stop request
    int sharedFd = -1;               // descriptor of the shared memory for the collectives; -1: start() creates it for
                                     // the shm backend
    std::vector<int> hosts;          // host index of each rank, 0 = this host; empty: all ranks are on this host
    std::string address;             // address of this host for the other hosts
    std::vector<std::string> notes;  // lines that are written to the log at the start
    std::string hostName;            // name of this host in the record; empty: not recorded
    std::int64_t restart = 0;        // number of restarts of the whole group before this start
    // Called after events were recorded; the second argument contains RunChange bits for the parts that changed.
    std::function<void(const RunData&, unsigned)> onChange;
};

}  // namespace ringside
