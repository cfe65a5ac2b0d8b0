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
    std::int64_t epochUs = 0;                    // zero of the run's times, in microseconds of CLOCK_MONOTONIC
    int stopFd = -1;                             // descriptor, such as a signalfd, on which each readable event
                                                 // requests a stop
    int hangUpFd = -1;  // descriptor of a closing terminal: several events are one stop request
    std::chrono::milliseconds startDeadline{10000};  // least time for a worker's first sign of life (runDeadlines())
    // Time from the stop request to the first line "waiting for" in the log.
    std::chrono::milliseconds waitLogInterval{3000};
    std::chrono::milliseconds terminateGrace{1000};  // time between SIGTERM and SIGKILL
    std::chrono::milliseconds backOff{1000};         // delay of the first restart; doubles each time, at most 30 s
    std::chrono::milliseconds settleTime{400};       // time to wait for other exits before a verdict on the first one
    std::chrono::milliseconds stillGrace{3000};      // time after the timeout for ranks to report a missing peer first
    std::function<HostLoad(int ranks)> readLoad = readHostLoad;
    bool mayBeKilled = false;        // true: a launcher may kill this process soon after a failure or a stop request
    int sharedFd = -1;               // descriptor of the shared memory for the collectives; -1: start() creates it for
                                     // the shm backend
    std::vector<int> hosts;          // host index of each rank, 0 = this host; empty: all ranks are on this host
    std::string address;             // address of this host for the other hosts
    std::vector<std::string> notes;  // lines that are written to the log at the start
    std::string hostName;            // name of this host in the record; empty: not recorded
    std::int64_t restart = 0;        // number of restarts of the whole group before this start
    std::function<void(const RunData&, unsigned)> onChange;  // called after events were recorded, with RunChange bits
};

}  // namespace ringside
