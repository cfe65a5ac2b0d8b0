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

// One rank's position among the ranks of its host, and the host's position in the run.
struct HostRanks {
    std::string runName = {};
    int localRank = 0;    // number of the rank among the ranks of its host, in [0, ranksOnHost)
    int ranksOnHost = 1;  // number of ranks on the host, at least 1
    int host = 0;         // number of this host among the run's hosts
    bool severalHosts = false;
    std::string interface = {};  // network interface that reaches the other hosts of the run; empty: NCCL chooses
};

// Returns the GPU of one rank and its environment variables. Assigns the ranks of a host to its usable GPUs, round
// robin. The variables bind NCCL's sockets to loopback if all ranks are on one host, otherwise to HostRanks::interface.
// If ranks share GPUs, the variables also make NCCL treat each rank as a separate host, connected over sockets, because
// NCCL refuses two ranks of one host on one GPU. The name of such a host contains the run name and the host number, so
// that it is unique. Asserts localRank in [0, ranksOnHost) and gpus > 0.
GpuPlacement placeRank(const HostRanks& ranks, int gpus);

}  // namespace ringside
