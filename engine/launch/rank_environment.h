// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ringside {

// Who a worker process is. A supervisor says it as `ringside-worker --rank R --world-size W --run-dir DIR --epoch-us N`
// and the worker reads DIR/config.json; under a launcher it comes out of the rendezvous with rank 0.
struct RankEnvironment {
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    int localSize = 0;  // ranks on this host; 0: all of them
    std::filesystem::path runDirectory;
    long long epochUs = 0;  // CLOCK_MONOTONIC microseconds when the run started: zero of all telemetry times
    std::string backend;    // resolved: shm | gloo | nccl
    std::string device;     // resolved: cpu | cuda

    int ranksOnHost() const { return localSize > 0 ? localSize : worldSize; }
};

}  // namespace ringside
