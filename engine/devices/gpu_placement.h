// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ringside {

inline constexpr const char* kSharedGpuLabel = "shared GPU: for teaching, not for timing";

// Where a rank computes and how its NCCL must be set up, as environment variables to set before its first NCCL call.
struct GpuPlacement {
    int gpu = 0;          // which of the usable ones
    bool shared = false;  // several ranks on a GPU somewhere on this host
    std::vector<std::pair<std::string, std::string>> environment;
    std::string label;  // for people; empty when every rank has a GPU of its own
};

// Ranks of one host over its usable GPUs, round robin. Every rank having a GPU of its own, only the bootstrap is bound
// to loopback. Otherwise NCCL is told that each rank is a host of its own that talks over loopback sockets, because it
// refuses two ranks of one host on one GPU; all ranks get the same settings. runName keeps two runs apart.
// Asserts localRank in [0, ranksOnHost) and gpus > 0.
GpuPlacement placeRank(const std::string& runName, int localRank, int ranksOnHost, int gpus);

}  // namespace ringside
