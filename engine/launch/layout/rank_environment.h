// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

// Environment variable that is set for rank 0's worker in a run that a launcher started. The worker ignores SIGTERM,
// which a launcher sends to all processes of a job, because the process that supervises the run decides how to stop.
inline constexpr const char* kLaunchedVariable = "RINGSIDE_LAUNCHED";

// Identity and settings of a worker process. A supervisor passes them as `ringside-worker --rank R --world-size W
// --run-dir DIR --epoch-us N`, and the worker reads DIR/config.json. Under a launcher, they result from the rendezvous.
struct RankEnvironment {
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    std::vector<int> hosts;  // index of each rank's host; empty: all ranks are on this host
    std::string address;     // address of this host for other hosts; empty: all ranks are on this host
    std::filesystem::path runDirectory;
    long long runStartUs = 0;  // CLOCK_MONOTONIC microseconds at the start of the run: zero of all telemetry times
    std::string resume;        // path of the checkpoint to resume from instead of the experiment's; empty: use the
                               // experiment's
    std::string backend;       // resolved backend of the collectives: shm | gloo | mpi | nccl
    std::string device;        // resolved device of the computations: cpu | cuda
    // Factor by which parallel.timeout_seconds is multiplied; above 1 if the ranks of this host get little CPU time.
    double timeoutFactor = 1;

    bool isGuest = false;  // true for the rank of a classroom guest: it opens offered files only, and sends the host no
                           // paths and no quoted text

    bool isOnSeveralHosts() const {
        return std::any_of(hosts.begin(), hosts.end(), [this](int host) { return host != hosts.front(); });
    }
    // Returns the number of ranks on this rank's host.
    int ranksOnHost() const {
        if (static_cast<std::size_t>(rank) >= hosts.size()) return worldSize;
        return static_cast<int>(std::count(hosts.begin(), hosts.end(), hosts[static_cast<std::size_t>(rank)]));
    }
};

}  // namespace ringside
