// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ringside {

inline constexpr const char* kSharedGpuLabel = "shared GPU: for teaching, not for timing";

// GPU of a rank and the environment variables to set before the rank's first NCCL call.
struct GpuPlacement {
    int gpu = 0;          // index of the GPU among the usable GPUs
    bool shared = false;  // true if the host has more ranks than usable GPUs
    std::vector<std::pair<std::string, std::string>> environment;
    std::string label;  // text shown on screen; empty if every rank has its own GPU
};

// Position of one rank among the ranks of its host.
struct HostRanks {
    std::string runName = {};
    int localRank = 0;    // number of the rank among those of its host, in [0, ranksOnHost)
    int ranksOnHost = 1;  // number of ranks on the host, at least 1
    int host = 0;         // number of this host among the run's hosts
    bool severalHosts = false;
    std::string interface = {};  // network interface that reaches the other hosts of the run; empty: NCCL chooses
};

// Assigns the ranks of one host to its usable GPUs, round robin. The settings bind NCCL's sockets to loopback if all
// ranks are on one host, otherwise to the interface. If ranks share GPUs, the settings also make each rank a separate
// host for NCCL, connected over sockets, because NCCL refuses two ranks of one host on one GPU; run name and host keep
// these names apart. Asserts localRank in [0, ranksOnHost) and gpus > 0.
GpuPlacement placeRank(const HostRanks& ranks, int gpus);

}  // namespace ringside
