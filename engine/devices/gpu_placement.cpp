// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu_placement.h"

#include "base/errors/errors.h"

namespace ringside {

namespace {

// Returns the host name that is passed to NCCL for a rank, so that NCCL treats each rank as a separate host.
std::string ownHostName(const HostRanks& ranks) {
    const std::string host = ranks.severalHosts ? "-host" + std::to_string(ranks.host) : "";
    return ranks.runName + host + "-" + std::to_string(ranks.localRank);
}

}  // namespace

GpuPlacement placeRank(const HostRanks& ranks, int gpus) {
    RINGSIDE_ASSERT(gpus > 0 && ranks.localRank >= 0 && ranks.localRank < ranks.ranksOnHost);
    GpuPlacement placement;
    placement.gpu = ranks.localRank % gpus;
    placement.shared = ranks.ranksOnHost > gpus;
    // NCCL's bootstrap accepts connections without authentication, so it must listen only on this interface; "="
    // requires the exact name of the interface.
    const std::string interface = ranks.severalHosts ? ranks.interface : "lo";
    if (!interface.empty()) placement.environment.emplace_back("NCCL_SOCKET_IFNAME", "=" + interface);
    // Turns buffer registration off: it needs all ranks to record the same step as a CUDA graph, but a single rank can
    // fail to record it.
    placement.environment.emplace_back("NCCL_GRAPH_REGISTER", "0");
    if (!placement.shared) return placement;

    placement.label = kSharedGpuLabel;
    const std::vector<std::pair<std::string, std::string>> sharing{
        {"NCCL_HOSTID", ownHostName(ranks)},
        {"NCCL_MULTI_RANK_GPU_ENABLE", "1"},  // allows several ranks on one GPU, from NCCL 2.30 on
        {"NCCL_NET", "Socket"},
        {"NCCL_IB_DISABLE", "1"},
        {"NCCL_P2P_DISABLE", "1"},
        {"NCCL_SHM_DISABLE", "1"},
        {"NCCL_NVLS_ENABLE", "0"},
        {"NCCL_MNNVL_ENABLE", "0"},
        {"NCCL_MAX_CTAS", "1"},  // the GPU time-slices the ranks: a collective must not occupy all of it
        // RAS (NCCL's monitoring) listens on one fixed port, which the ranks of a host would share.
        {"NCCL_RAS_ENABLE", "0"},
    };
    placement.environment.insert(placement.environment.end(), sharing.begin(), sharing.end());
    return placement;
}

}  // namespace ringside
