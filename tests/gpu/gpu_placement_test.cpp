// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu_placement.h"

#include <map>

#include "support/catch.h"

using namespace ringside;

namespace {

std::map<std::string, std::string> environmentOf(const GpuPlacement& placement) {
    return {placement.environment.begin(), placement.environment.end()};
}

}  // namespace

TEST_CASE("with a GPU per rank the bootstrap is bound to loopback, and ranks record their steps alone") {
    for (int rank = 0; rank < 4; ++rank) {
        const GpuPlacement placement = placeRank({"run", rank, 4}, 8);
        CHECK(placement.gpu == rank);
        CHECK_FALSE(placement.shared);
        CHECK(placement.label.empty());
        CHECK(environmentOf(placement) ==
              std::map<std::string, std::string>{{"NCCL_SOCKET_IFNAME", "=lo"}, {"NCCL_GRAPH_REGISTER", "0"}});
    }
}

TEST_CASE("ranks that share a GPU are separate hosts for NCCL") {
    const GpuPlacement first = placeRank({"digits-7", 0, 2}, 1);
    const GpuPlacement second = placeRank({"digits-7", 1, 2}, 1);
    CHECK(first.gpu == 0);
    CHECK(second.gpu == 0);
    CHECK(second.label == "shared GPU: for teaching, not for timing");

    auto environment = environmentOf(second);
    CHECK(environmentOf(first)["NCCL_HOSTID"] == "digits-7-0");
    CHECK(environment["NCCL_HOSTID"] == "digits-7-1");
    environment.erase("NCCL_HOSTID");
    CHECK(environment == std::map<std::string, std::string>{{"NCCL_SOCKET_IFNAME", "=lo"},
                                                            {"NCCL_GRAPH_REGISTER", "0"},
                                                            {"NCCL_MULTI_RANK_GPU_ENABLE", "1"},
                                                            {"NCCL_NET", "Socket"},
                                                            {"NCCL_IB_DISABLE", "1"},
                                                            {"NCCL_P2P_DISABLE", "1"},
                                                            {"NCCL_SHM_DISABLE", "1"},
                                                            {"NCCL_NVLS_ENABLE", "0"},
                                                            {"NCCL_MNNVL_ENABLE", "0"},
                                                            {"NCCL_MAX_CTAS", "1"},
                                                            {"NCCL_RAS_ENABLE", "0"}});
}

TEST_CASE("three ranks over two GPUs all follow the shared recipe") {
    CHECK(placeRank({"r", 0, 3}, 2).gpu == 0);
    CHECK(placeRank({"r", 1, 3}, 2).gpu == 1);
    CHECK(placeRank({"r", 2, 3}, 2).gpu == 0);
    CHECK(placeRank({"r", 1, 3}, 2).shared);
    CHECK(placeRank({"r", 1, 3}, 2).environment.size() == 12);
}

TEST_CASE("between hosts NCCL listens on the interface that reaches the other hosts, or chooses one") {
    const HostRanks first{.runName = "run", .ranksOnHost = 1, .host = 0, .severalHosts = true, .interface = "eth1"};
    const GpuPlacement placement = placeRank(first, 1);
    CHECK_FALSE(placement.shared);  // two hosts with a rank and a GPU each
    CHECK(environmentOf(placement) ==
          std::map<std::string, std::string>{{"NCCL_SOCKET_IFNAME", "=eth1"}, {"NCCL_GRAPH_REGISTER", "0"}});
    HostRanks unknown = first;
    unknown.interface.clear();
    CHECK(environmentOf(placeRank(unknown, 1)) == std::map<std::string, std::string>{{"NCCL_GRAPH_REGISTER", "0"}});
}

TEST_CASE("ranks that share GPUs on two hosts have different host names for NCCL") {
    const HostRanks here{.runName = "run", .localRank = 1, .ranksOnHost = 2, .host = 0, .severalHosts = true};
    HostRanks there = here;
    there.host = 1;
    CHECK(environmentOf(placeRank(here, 1))["NCCL_HOSTID"] == "run-host0-1");
    CHECK(environmentOf(placeRank(there, 1))["NCCL_HOSTID"] == "run-host1-1");
}
