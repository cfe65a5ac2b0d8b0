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
        {"NCCL_SOCKET_IFNAME", "=lo"},  // its bootstrap listens without authentication; "=" asks for the exact name
        {"NCCL_GRAPH_REGISTER", "0"},   // all ranks would have to record a step together: one may fail to
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
        {"NCCL_MAX_CTAS", "1"},    // ranks take turns on the GPU: a collective must not fill it
        {"NCCL_RAS_ENABLE", "0"},  // its fixed port would clash between ranks
    };
    placement.environment.insert(placement.environment.end(), sharing.begin(), sharing.end());
    return placement;
}

}  // namespace ringside
