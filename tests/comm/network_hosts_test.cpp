// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "comm/collective_checks.h"
#include "comm/communicator_factory.h"
#include "comm/ranks_as_processes.h"
#include "comm/socket_store.h"
#include "comm/store_server_thread.h"
#include "launch/channels/shared_memory.h"
#include "support/catch.h"
#include "support/network_hosts.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Two ranks on each of two network hosts, as processes.
struct TwoHosts {
    static constexpr int kRanks = 4;
    NetworkHosts network;
    std::array<UniqueFd, 2> memory{createSharedMemory(sharedMemoryBytes(2)), createSharedMemory(sharedMemoryBytes(2))};
    StoreServerThread server{kRanks, false};
    std::unique_ptr<RankProcesses> processes;

    explicit TwoHosts(std::chrono::microseconds delay) : network(delay) {}

    void start(const std::function<void(Communicator&, const std::function<void()>&)>& body,
               std::chrono::milliseconds timeout) {
        processes = std::make_unique<RankProcesses>(kRanks, [&](int rank, const auto& ready) {
            const int host = rank / 2;
            network.enter(host);
            const auto ranks = makeHierarchicalCommunicator(
                std::make_shared<SocketStore>(server.takeSocket(rank)), memory[static_cast<std::size_t>(host)].get(),
                rank, {0, 0, 1, 1}, {.timeout = timeout, .interface = NetworkHosts::kInterface});
            body(*ranks, ready);
        });
        server.dropSockets();
        server.start();
    }
};

// Checks the link statistics of a rank: exactly two links, to the ranks of the other host, with round trips of at least
// minUs, the delay of the network. Each rank of a host exchanges half of a sum of a million values with its peer.
void checkLinks(Communicator& ranks, std::int64_t minUs) {
    const std::vector<LinkStatistics> links = ranks.links();
    const int first = ranks.rank() < 2 ? 2 : 0;
    bool well = links.size() == 2;
    for (const LinkStatistics& link : links) {
        well = well && link.peer / 2 == first / 2 && link.roundTripUs >= std::max<std::int64_t>(minUs, 1) &&
               link.roundTripUs < minUs + 100'000 && link.busyUs >= 0;
        if (link.peer == first + ranks.rank() % 2) well = well && link.bytes > 2'000'000;
        if (well) continue;
        throw std::runtime_error("of " + std::to_string(links.size()) + " links one to rank " +
                                 std::to_string(link.peer) + " with " + std::to_string(link.roundTripUs) + " us, " +
                                 std::to_string(link.bytes) + " bytes");
    }
    if (!well) throw std::runtime_error(std::to_string(links.size()) + " links instead of 2");
}

bool canHaveHosts() {
    const std::string why = glooAvailable() ? NetworkHosts::whyNot() : "Gloo was not there when this was built";
    if (!why.empty()) WARN("skipped: " << why);
    return why.empty();
}

}  // namespace

TEST_CASE("two hosts of two ranks agree on every collective, within and between hosts") {
    if (!canHaveHosts()) return;
    const int delayUs = GENERATE(0, 500);
    CAPTURE(delayUs);
    TwoHosts hosts{std::chrono::microseconds(delayUs)};
    hosts.start(
        [delayUs](Communicator& ranks, const auto&) {
            for (const std::size_t count : {1U, 10'000U, 1'000'000U}) checkFloatSum(ranks, count, false);
            checkBroadcast(ranks, 100'000);
            checkAllGather(ranks, 1000);
            checkReduceScatter(ranks, 1000);
            checkGroups(ranks, false);
            ranks.barrier();
            checkLinks(ranks, 2 * delayUs);
        },
        std::chrono::seconds(30));
    for (int rank = 0; rank < TwoHosts::kRanks; ++rank) {
        const auto report = hosts.processes->report(rank);
        CHECK(report.finished);
        CHECK(report.text == "");
    }
}

TEST_CASE("an unplugged cable ends the run at its deadline on both hosts") {
    if (!canHaveHosts()) return;
    TwoHosts hosts{std::chrono::microseconds(0)};
    hosts.start(
        [](Communicator& ranks, const auto& ready) {
            checkFloatSum(ranks, 10'000, false);
            ready();
            std::vector<float> values(10'000);
            while (true) ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        },
        std::chrono::milliseconds(2500));
    hosts.processes->waitUntilReady();
    hosts.network.unplug();
    for (int rank = 0; rank < TwoHosts::kRanks; ++rank) {
        const auto report = hosts.processes->report(rank);
        CHECK(report.threw);
        CHECK_THAT(report.text, containing("did not take part in all-reduce of 10,000 floats"));
    }
}
