// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu_placement.h"

#include "base/errors/errors.h"

namespace ringside {

GpuPlacement placeRank(const std::string& runName, int localRank, int ranksOnHost, int gpus) {
    RINGSIDE_ASSERT(gpus > 0 && localRank >= 0 && localRank < ranksOnHost);
    GpuPlacement placement;
    placement.gpu = localRank % gpus;
    placement.shared = ranksOnHost > gpus;
    placement.environment = {
        {"NCCL_SOCKET_IFNAME", "=lo"},  // NCCL's bootstrap listens without authentication; "=" demands the exact name
        {"NCCL_GRAPH_REGISTER", "0"},   // needs all ranks to record the same step, and one can fail to
    };
    if (!placement.shared) return placement;

    placement.label = kSharedGpuLabel;
    const std::vector<std::pair<std::string, std::string>> sharing{
        {"NCCL_HOSTID", runName + "-" + std::to_string(localRank)},
        {"NCCL_NET", "Socket"},
        {"NCCL_IB_DISABLE", "1"},
        {"NCCL_P2P_DISABLE", "1"},
        {"NCCL_SHM_DISABLE", "1"},
        {"NCCL_NVLS_ENABLE", "0"},
        {"NCCL_MNNVL_ENABLE", "0"},
        {"NCCL_MAX_CTAS", "1"},    // the GPU time-slices the ranks: a collective must not occupy all of it
        {"NCCL_RAS_ENABLE", "0"},  // RAS uses one fixed port, which the ranks would share
    };
    placement.environment.insert(placement.environment.end(), sharing.begin(), sharing.end());
    return placement;
}

}  // namespace ringside
