// SPDX-License-Identifier: Apache-2.0
#include "comm/throttle/throttled_communicator.h"

#include <algorithm>

#include "base/time/monotonic.h"
#include "comm/collective_checks.h"
#include "comm/ranks_as_threads.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;

namespace {

std::vector<std::unique_ptr<Communicator>> throttledRanks(int size, const LinkThrottle& throttle) {
    std::vector<std::unique_ptr<Communicator>> ranks;
    for (auto& one : makeLocalCommunicators(size))
        ranks.push_back(std::make_unique<ThrottledCommunicator>(std::move(one), throttle));
    return ranks;
}

}  // namespace

// A ring all-reduce has 2 (N - 1) rounds, each with the latency and 1/N of the bytes (Patarasuk and Yuan 2009).
TEST_CASE("a throttled transfer lasts as long as the rounds of a ring") {
    using enum CollectiveKind;
    const LinkThrottle link{8, 100};  // a byte takes 1 ns
    CHECK(link.messageNs(4000) == 4000 + 100'000);
    CHECK(link.collectiveNs(kAllReduce, 4000, 4) == 6 * (1000 + 100'000));
    CHECK(link.collectiveNs(kAllGather, 1000, 4) == 3 * (1000 + 100'000));
    CHECK(link.collectiveNs(kReduceScatter, 1000, 4) == 3 * (1000 + 100'000));
    CHECK(link.collectiveNs(kBroadcast, 4000, 4) == 4000 + 3 * 100'000);
    CHECK(link.collectiveNs(kBarrier, 0, 4) == 6 * 100'000);
    CHECK(link.collectiveNs(kAllReduce, 4000, 1) == 0);
    CHECK(LinkThrottle{0, 5}.collectiveNs(kAllReduce, 1 << 30, 2) == 2 * 5000);
    CHECK_FALSE(LinkThrottle{}.isActive());
}

TEST_CASE("a throttled communicator has the results of its inner communicator") {
    const int size = GENERATE(1, 2, 3);
    onThreads(throttledRanks(size, {1000, 0.1}), [](Communicator& ranks) { checkEverything(ranks, true); });
}

TEST_CASE("a throttled collective ends no earlier than its link, and collectives in flight follow one another") {
    std::vector<float> values(2000, 1.0F);
    onThreads(throttledRanks(2, {0.008, 0}), [&](Communicator& ranks) {  // a byte takes 1 us
        std::vector<float> first(1000, 1.0F), second(1000, 2.0F);
        ranks.barrier();
        const std::int64_t began = monotonicNs();
        const CommHandle one = ranks.allReduceAsync(CommBuffer::of(std::span(first)), ReduceOp::kSum);
        const CommHandle two = ranks.allReduceAsync(CommBuffer::of(std::span(second)), ReduceOp::kSum);
        one.wait();
        if (monotonicNs() - began < 4'000'000) throw std::runtime_error("the first was over too soon");
        two.wait();
        if (monotonicNs() - began < 8'000'000) throw std::runtime_error("the second was over too soon");
        if (first[999] != 2.0F || second[999] != 4.0F) throw std::runtime_error("wrong sums");
    });
}

TEST_CASE("a throttled rank records in the trace when its link was done") {
    onThreads(throttledRanks(2, {0.008, 0}), [](Communicator& ranks) {
        PhaseTrack phases;
        CollectiveTrace trace(phases, 16);
        ranks.setTrace(&trace);
        trace.startRecording();
        std::vector<float> values(1000, 1.0F);
        for (int i = 0; i < 16; ++i) ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        const std::vector<CollectiveStamp> stamps = trace.collectives();
        ranks.setTrace(nullptr);
        if (stamps.size() != 16) throw std::runtime_error("not 16 stamps");
        // 4,000 bytes at 1,000,000 bytes/s take 4 ms. On a busy computer some of the calls themselves take longer.
        const auto link = [](const CollectiveStamp& one) { return one.endedNs - one.lastNs; };
        if (link(std::ranges::min(stamps, {}, link)) != 4'000'000) throw std::runtime_error("another time");
    });
}
