// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

// Set for the rank of whoever hosts a run under a launcher, which ends a job by TERM to all of its processes: the host
// alone decides what that means.
inline constexpr const char* kLaunchedVariable = "RINGSIDE_LAUNCHED";

// Who a worker process is. A supervisor says it as `ringside-worker --rank R --world-size W --run-dir DIR --epoch-us N`
// and the worker reads DIR/config.json; under a launcher it comes out of the rendezvous with rank 0.
struct RankEnvironment {
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    std::vector<int> hosts;  // index of each rank's host; empty: all are on this one
    std::string address;     // of this host, as other hosts reach it; empty: there are none
    std::filesystem::path runDirectory;
    long long epochUs = 0;     // CLOCK_MONOTONIC microseconds when the run started: zero of all telemetry times
    std::string resume;        // goes on from this checkpoint, whatever the experiment says; empty: as it says
    std::string backend;       // resolved: shm | gloo | nccl
    std::string device;        // resolved: cpu | cuda
    double timeoutFactor = 1;  // of parallel.timeout_seconds, above 1 on a crowded host

    bool isGuest = false;  // of a class: opens offered files only, and sends the host no path and no quoted text

    bool isOnSeveralHosts() const {
        return std::any_of(hosts.begin(), hosts.end(), [this](int host) { return host != hosts.front(); });
    }
    // Of this rank's host.
    int ranksOnHost() const {
        if (static_cast<std::size_t>(rank) >= hosts.size()) return worldSize;
        return static_cast<int>(std::count(hosts.begin(), hosts.end(), hosts[static_cast<std::size_t>(rank)]));
    }
};

}  // namespace ringside
