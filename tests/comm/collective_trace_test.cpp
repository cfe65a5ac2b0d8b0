// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/collective_trace.h"

#include <algorithm>

#include "comm/in_process_store.h"
#include "comm/ranks_as_threads.h"
#include "comm/shm/shm_communicator.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Traces an all-reduce, an asynchronous all-reduce and a broadcast. Collectives before and after them are not in the
// traced step.
void traceThree(Communicator& ranks, std::vector<CollectiveStamp>& stamps) {
    PhaseTrack phases;
    CollectiveTrace trace(phases, 16);
    ranks.setTrace(&trace);
    std::vector<float> values(10000);
    std::vector<float> others(500);
    ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    trace.startRecording();
    ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    const CommHandle handle = ranks.allReduceAsync(CommBuffer::of(std::span(others)), ReduceOp::kSum);
    handle.wait();
    ranks.broadcast(CommBuffer::of(std::span(values)), 0);
    stamps = trace.collectives();
    trace.stopRecording();
    ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    ranks.setTrace(nullptr);
}

void checkStamps(const std::vector<std::vector<CollectiveStamp>>& ranks) {
    for (const auto& own : ranks) {
        REQUIRE(own.size() == 3);
        CHECK(own[0].bytes == 40000);
        CHECK(own[1].bytes == 2000);
        CHECK(own[2].kind == static_cast<std::int64_t>(CollectiveKind::kBroadcast));
        for (const CollectiveStamp& stamp : own) {
            CHECK(stamp.readyNs <= stamp.arrivedNs);
            CHECK(stamp.arrivedNs <= stamp.lastNs);
            CHECK(stamp.lastNs <= stamp.endedNs);
        }
    }
    for (std::size_t at = 0; at < 3; ++at) {
        std::int64_t last = 0;
        for (const auto& own : ranks) last = std::max(last, own[at].arrivedNs);
        for (const auto& own : ranks) {
            CHECK(own[at].lastNs == last);
            CHECK(own[at].number == ranks[0][0].number + static_cast<std::int64_t>(at));
        }
    }
}

}  // namespace

TEST_CASE("ranks with shared memory get the time of the last arrival") {
    for (const int size : {2, 3}) {
        std::vector<std::vector<CollectiveStamp>> stamps(static_cast<std::size_t>(size));
        onLocalRanks(size,
                     [&](Communicator& ranks) { traceThree(ranks, stamps[static_cast<std::size_t>(ranks.rank())]); });
        checkStamps(stamps);
    }
}

TEST_CASE("a rank that transfers bytes itself arrives when it waits, not when it starts the operation") {
    constexpr int kRanks = 2;
    std::vector<std::unique_ptr<Communicator>> ranks;
    const auto arena = std::make_shared<const Arena>(-1, ArenaLayout::bytesFor(kRanks, std::size_t{1} << 20), kRanks);
    for (int rank = 0; rank < kRanks; ++rank)
        ranks.push_back(
            std::make_unique<ShmCommunicator>(arena, rank, CommOptions{}, "local", ShmCommunicator::Async::kSplit));
    std::vector<CollectiveStamp> stamps(kRanks);
    std::vector<std::int64_t> waits(kRanks);
    onThreads(ranks, [&](Communicator& own) {
        const auto index = static_cast<std::size_t>(own.rank());
        PhaseTrack phases;
        CollectiveTrace trace(phases, 4);
        own.setTrace(&trace);
        std::vector<float> values(100'000);
        trace.startRecording();
        const CommHandle handle = own.allReduceAsync(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        waits[index] = monotonicNs();
        handle.wait();
        stamps[index] = trace.collectives().at(0);
        own.setTrace(nullptr);
    });
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
        CHECK(stamps[rank].publishedNs <= waits[rank]);
        CHECK(stamps[rank].arrivedNs >= waits[rank]);
        CHECK(stamps[rank].lastNs == std::max(stamps[0].arrivedNs, stamps[1].arrivedNs));
        CHECK(stamps[rank].lastPublishedNs == std::max(stamps[0].publishedNs, stamps[1].publishedNs));
    }
}

TEST_CASE("ranks over TCP get the time of the last arrival") {
    if (!glooAvailable()) return;
    const auto store = std::make_shared<InProcessStore>();
    std::vector<std::unique_ptr<Communicator>> ranks(3);
    std::vector<std::future<std::string>> connecting;
    for (int rank = 0; rank < 3; ++rank)
        connecting.push_back(
            errorOf([&, rank] { ranks[static_cast<std::size_t>(rank)] = makeGlooCommunicator(store, rank, 3, {}); }));
    for (auto& each : connecting) REQUIRE(each.get().empty());
    std::vector<std::vector<CollectiveStamp>> stamps(3);
    onThreads(ranks, [&](Communicator& own) { traceThree(own, stamps[static_cast<std::size_t>(own.rank())]); });
    checkStamps(stamps);
}

TEST_CASE("a rank in a collective is in the waiting phase, and then in the previous phase") {
    std::vector<std::vector<PhaseStamp>> seen(2);
    onLocalRanks(2, [&](Communicator& ranks) {
        PhaseTrack phases;
        CollectiveTrace trace(phases, 4);
        std::vector<PhaseStamp>& stamps = seen[static_cast<std::size_t>(ranks.rank())];
        stamps.reserve(16);
        ranks.setTrace(&trace);
        const PhaseScope scope(phases, Phase::kBackward);
        phases.recordStamps(&stamps);
        ranks.barrier();
        phases.recordStamps(nullptr);
        ranks.setTrace(nullptr);
    });
    for (const auto& stamps : seen) {
        REQUIRE(stamps.size() == 2);
        CHECK(stamps[0].phase == Phase::kWaiting);
        CHECK(stamps[1].phase == Phase::kBackward);
        CHECK(stamps[0].atNs <= stamps[1].atNs);
    }
}
