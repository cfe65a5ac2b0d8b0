// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ringside {

// How the Supervisor hands a rank to a worker process: `ringside-worker --rank R --world-size W --run-dir DIR
// --epoch-us N` plus these inherited file descriptors. The worker reads DIR/config.json.
struct RankEnvironment {
    static constexpr int kControlFd = 3;    // lines of JSON in: {"kind":"stop"}; end of file = the supervisor died
    static constexpr int kTelemetryFd = 4;  // telemetry lines out
    static constexpr int kStoreFd = 5;      // stream socket to the supervisor's key-value store
    static constexpr int kSharedFd = 6;     // memfd of the shared-memory communicator, -1 when unused

    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    std::filesystem::path runDirectory;
    long long epochUs = 0;  // CLOCK_MONOTONIC microseconds when the run started: zero of all telemetry times
    std::string backend;    // resolved: shm | gloo | nccl
    std::string device;     // resolved: cpu | cuda
};

}  // namespace ringside
