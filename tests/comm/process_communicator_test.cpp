// SPDX-License-Identifier: Apache-2.0
// Tests with ranks as processes, as in a real run. Some of the ranks are killed or stopped at arbitrary moments.
#include <csignal>
#include <random>

#include "base/errors/errors.h"
#include "comm/collective_checks.h"
#include "comm/communicator_factory.h"
#include "comm/ranks_as_processes.h"
#include "comm/socket_store.h"
#include "comm/store_server_thread.h"
#include "launch/channels/shared_memory.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

// Runs all-reduces of varying size until an error ends them. Calls ready() after the hundredth.
void reduceForever(Communicator& ranks, const std::function<void()>& ready) {
    std::vector<float> values(40'000, 1.0F);
    for (std::size_t step = 1;; ++step) {
        std::span<float> part(values.data(), step % 3 == 0 ? values.size() : 10'634);
        ranks.allReduce(CommBuffer::of(part), ReduceOp::kMaximum);
        if (step == 100) ready();
    }
}

void requireReports(RankProcesses& processes, int size, int lost) {
    for (int rank = 0; rank < size; ++rank) {
        if (rank == lost) continue;
        auto report = processes.report(rank);
        CAPTURE(rank, report.text);
        CHECK(report.threw);
        CHECK(report.missingRank == lost);
        CHECK_THAT(report.text, containing("rank " + std::to_string(lost)));
    }
}

}  // namespace

TEST_CASE("ranks as processes agree on every collective over shared memory") {
    int size = GENERATE(1, 2, 3, 4, 7, 16);
    CAPTURE(size);
    UniqueFd memory = createSharedMemory(sharedMemoryBytes(size));
    RankProcesses processes(size, [&](int rank, const auto&) {
        auto ranks = makeSharedMemoryCommunicator(memory.get(), rank, size);
        checkEverything(*ranks, true);
    });
    for (int rank = 0; rank < size; ++rank) {
        auto report = processes.report(rank);
        CHECK(report.text == "");
        CHECK(report.finished);
    }
}

TEST_CASE("a killed or stopped rank is named by every survivor over shared memory") {
    int number = GENERATE(SIGKILL, SIGSTOP);
    int size = GENERATE(2, 4);
    int lost = GENERATE(0, 1);
    CAPTURE(number, size, lost);
    UniqueFd memory = createSharedMemory(sharedMemoryBytes(size));
    RankProcesses processes(size, [&](int rank, const auto& ready) {
        auto ranks = makeSharedMemoryCommunicator(memory.get(), rank, size, {.timeout = milliseconds(1000)});
        reduceForever(*ranks, ready);
    });
    processes.waitUntilReady();
    processes.signal(lost, number);
    requireReports(processes, size, lost);
}

TEST_CASE("ranks over TCP rendezvous in the supervisor's store and name a killed or stopped rank") {
    if (!glooAvailable()) return;
    int number = GENERATE(SIGKILL, SIGSTOP);
    constexpr int kSize = 3;
    StoreServerThread server(kSize, false);
    RankProcesses processes(kSize, [&](int rank, const auto& ready) {
        auto store = std::make_shared<SocketStore>(server.takeSocket(rank));
        server.dropSockets();
        auto ranks = makeGlooCommunicator(store, rank, kSize, {.timeout = milliseconds(2000)});
        checkFloatSum(*ranks, 10'634, false);
        reduceForever(*ranks, ready);
    });
    server.dropSockets();
    server.start();
    processes.waitUntilReady();
    processes.signal(1, number);
    requireReports(processes, kSize, 1);
}

TEST_CASE("too little shared memory is refused with the remedy") {
    UniqueFd memory = createSharedMemory(4096);
    CHECK_THROWS_WITH(makeSharedMemoryCommunicator(memory.get(), 0, 4),
                      containing("4096 bytes is too small for 4 ranks") && containing("gloo"));
}
