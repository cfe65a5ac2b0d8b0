// SPDX-License-Identifier: Apache-2.0
#include "train/devices/rank_cpus.h"

#include <future>

#include "comm/store_server_thread.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Returns the CPUs of two ranks of one host, each in a thread.
std::vector<std::vector<int>> sharesOfTwo(const RunConfig& config, int cpusOfHost) {
    StoreServerThread server(2);
    const auto shareOf = [&](int rank) {
        RankEnvironment environment;
        environment.rank = environment.localRank = rank;
        environment.worldSize = 2;
        environment.device = "cpu";
        RankChannels channels;
        channels.store = server.takeSocket(rank);
        RankCpus cpus(environment, config, channels, cpusOfHost);
        cpus.computeShare();
        return cpus.share();
    };
    auto second = std::async(std::launch::async, [&] { return shareOf(1); });
    std::vector<int> first = shareOf(0);
    return {std::move(first), second.get()};
}

}  // namespace

TEST_CASE("two ranks divide exactly the CPUs reserved for both") {
    const std::vector<int> all = allowedCpus();
    if (all.size() < 2) return;
    const int more = static_cast<int>(all.size()) + 1;
    RunConfig config;
    const auto shares = sharesOfTwo(config, more);
    std::vector<int> together = shares[0];
    together.insert(together.end(), shares[1].begin(), shares[1].end());
    CHECK(together == all);
    CHECK(shares[0].size() == all.size() / 2);
    // If the ranks were given all CPUs of the host, they get no shares, because other programs use these CPUs too.
    CHECK(sharesOfTwo(config, static_cast<int>(all.size())) == std::vector<std::vector<int>>(2));
    // The experiment requests more threads than a share has CPUs.
    config.parallel.threadsPerRank = static_cast<std::int64_t>(all.size()) + 1;
    CHECK(sharesOfTwo(config, more) == std::vector<std::vector<int>>(2));
}
