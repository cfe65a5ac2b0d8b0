// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ringside {

inline constexpr const char* kSharedGpuLabel = "shared GPU: for teaching, not for timing";

// GPU of a rank and the environment variables to set before the rank's first NCCL call.
struct GpuPlacement {
    int gpu = 0;          // index among the usable GPUs
    bool shared = false;  // true if the host has more ranks than usable GPUs
    std::vector<std::pair<std::string, std::string>> environment;
    std::string label;  // shown on screen; empty if every rank has its own GPU
};

// Assigns the ranks of one host to its usable GPUs, round robin. If each rank has its own GPU, the settings only bind
// NCCL's bootstrap to loopback. If ranks share GPUs, the settings make each rank a separate host for NCCL, connected
// over loopback sockets, because NCCL refuses two ranks of one host on one GPU; runName keeps the hosts of two runs
// apart. Asserts localRank in [0, ranksOnHost) and gpus > 0.
GpuPlacement placeRank(const std::string& runName, int localRank, int ranksOnHost, int gpus);

}  // namespace ringside
