// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "comm/collective_checks.h"
#include "comm/hosts/contribution_watch.h"
#include "comm/hosts/host_map.h"
#include "comm/hosts/memory_sharers.h"
#include "comm/in_process_store.h"
#include "comm/ranks_as_threads.h"
#include "launch/channels/shared_memory.h"
#include "support/catch.h"
#include "telemetry/steps/collective_trace.h"

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

// Simulated hosts: ranks of one host share a memory that other ranks do not have. The loopback interface is the network
// between hosts.
struct Hosts {
    std::map<int, UniqueFd> memory;
    std::vector<std::unique_ptr<Communicator>> ranks;

    explicit Hosts(const std::vector<int>& hostOfRank, CommOptions options = {}) : ranks(hostOfRank.size()) {
        const auto store = std::make_shared<InProcessStore>();
        for (const int host : hostOfRank) {
            if (!memory.contains(host)) memory[host] = createSharedMemory(sharedMemoryBytes(4));
        }
        std::vector<std::future<std::string>> connecting;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            connecting.push_back(errorOf([&, rank] {
                const int fd = memory.at(hostOfRank[rank]).get();
                ranks[rank] = makeHierarchicalCommunicator(store, fd, static_cast<int>(rank), hostOfRank, options);
            }));
        }
        for (auto& each : connecting) REQUIRE(each.get() == "");
    }
};

// Returns values whose sum depends on the order of additions.
float valueOf(int rank, std::size_t index) {
    return std::ldexp(1.0F + static_cast<float>(index % 1009) / 1009.0F, rank * 7 % 23) *
           (rank % 2 == 0 ? 1.0F : -0.7F);
}

}  // namespace

TEST_CASE("ranks of several hosts agree on every collective for any placement on hosts") {
    if (!glooAvailable()) return;
    const std::vector<int> hosts =
        GENERATE(std::vector<int>{0, 0, 1, 1}, std::vector<int>{0, 1}, std::vector<int>{5, 3, 5, 3},
                 std::vector<int>{0, 0, 0, 1}, std::vector<int>{0, 1, 2}, std::vector<int>{7, 7});
    CAPTURE(hosts);
    Hosts run(hosts);
    onThreads(run.ranks, [](Communicator& ranks) { checkEverything(ranks, false); });
}

// The simulated hosts have a common clock, so the time at which the last rank arrived is known. It is not known with
// real hosts.
TEST_CASE("ranks of several hosts report their arrivals and wait for the last one") {
    if (!glooAvailable()) return;
    const std::vector<int> hosts = GENERATE(std::vector<int>{0, 0, 1, 1}, std::vector<int>{0, 1});
    CAPTURE(hosts);
    Hosts run(hosts);
    std::vector<std::vector<CollectiveStamp>> stamps(hosts.size());
    onThreads(run.ranks, [&](Communicator& ranks) {
        PhaseTrack phases;
        CollectiveTrace trace(phases, 16);
        ranks.setTrace(&trace);
        std::vector<float> values(10000), others(500), all(others.size() * static_cast<std::size_t>(ranks.size()));
        ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        trace.startRecording();
        ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        const CommHandle handle = ranks.allReduceAsync(CommBuffer::of(std::span(others)), ReduceOp::kSum);
        handle.wait();
        ranks.allGather(CommBuffer::of(std::span(others)), CommBuffer::of(std::span(all)));
        ranks.barrier();
        stamps[static_cast<std::size_t>(ranks.rank())] = trace.collectives();
        trace.stopRecording();
        ranks.setTrace(nullptr);
    });
    for (const auto& own : stamps) REQUIRE(own.size() == 3);
    for (std::size_t at = 0; at < 3; ++at) {
        std::int64_t last = 0;
        for (const auto& own : stamps) last = std::max(last, own[at].arrivedNs);
        for (const auto& own : stamps) {
            CHECK(own[at].bytes == (at == 0 ? 40000 : 2000));
            CHECK(own[at].number == stamps[0][0].number + static_cast<std::int64_t>(at));
            CHECK(own[at].readyNs <= own[at].arrivedNs);
            CHECK(own[at].lastNs >= last);
            CHECK(own[at].lastNs <= own[at].endedNs);
        }
    }
}

TEST_CASE("sums are formed within each host first and then over hosts in order, for any size") {
    if (!glooAvailable()) return;
    const std::vector<int> hosts{0, 0, 1, 1, 2, 2};
    Hosts run(hosts);
    onThreads(run.ranks, [](Communicator& ranks) {
        for (const std::size_t count : {1U, 10'000U, 32'768U, 65'536U, 65'537U, 300'001U, 800'000U}) {
            std::vector<float> values(count);
            for (std::size_t i = 0; i < count; ++i) values[i] = valueOf(ranks.rank(), i);
            ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
            for (std::size_t i = 0; i < count; ++i) {
                const float first = valueOf(0, i) + valueOf(1, i);
                const float second = valueOf(2, i) + valueOf(3, i);
                const float third = valueOf(4, i) + valueOf(5, i);
                if (values[i] != (first + second) + third) {
                    throw std::runtime_error("other bits at " + std::to_string(i) + " of " + std::to_string(count));
                }
            }
        }
    });
}

TEST_CASE("a tree sum has the bits of the tree over all ranks for any placement") {
    if (!glooAvailable()) return;
    const std::vector<int> hosts =
        GENERATE(std::vector<int>{0, 0, 1, 1}, std::vector<int>{0, 1, 0, 1}, std::vector<int>{0, 0, 0, 1});
    CAPTURE(hosts);
    Hosts run(hosts);
    onThreads(run.ranks, [](Communicator& ranks) {
        for (const std::size_t count : {1U, 1009U, 300'001U}) {
            std::vector<float> values(count);
            for (std::size_t i = 0; i < count; ++i) values[i] = valueOf(ranks.rank(), i);
            ranks.allReduceAsync(CommBuffer::of(std::span(values)), ReduceOp::kTreeSum).wait();
            for (std::size_t i = 0; i < count; ++i) {
                const float even = valueOf(0, i) + valueOf(2, i);
                const float odd = valueOf(1, i) + valueOf(3, i);
                if (values[i] != even + odd) throw std::runtime_error("other bits at " + std::to_string(i));
            }
        }
    });
}

TEST_CASE("bytes sent over several hosts are counted once, as for ring algorithms") {
    if (!glooAvailable()) return;
    Hosts run({0, 0, 1, 1});
    onThreads(run.ranks, [](Communicator& self) {
        const std::int64_t before = self.bytesSent();
        std::vector<float> values(100), all(400);
        self.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        self.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kTreeSum);
        if (self.bytesSent() - before != 2 * 600) throw std::runtime_error("all-reduce");
        self.allGather(CommBuffer::of(std::span(values)), CommBuffer::of(std::span(all)));
        self.reduceScatter(CommBuffer::of(std::span(all)), CommBuffer::of(std::span(values)), ReduceOp::kSum);
        if (self.bytesSent() - before != 1200 + 1200 + 1200) throw std::runtime_error("gather or scatter");
    });
}

TEST_CASE("a large sum is bit-identical wherever each rank's values are stored") {
    if (!glooAvailable()) return;
    Hosts run({0, 0, 1, 1});
    constexpr std::size_t kCount = 1'000'003;  // number of values: four chunks, the last one incomplete
    // One bit per rank: 1 if the rank's buffer is in memory of the communicator.
    const int inHeap = GENERATE(0b0000, 0b1111, 0b0101);
    CAPTURE(inHeap);
    onThreads(run.ranks, [&](Communicator& ranks) {
        std::vector<float> plain(kCount);
        const std::span<float> heap = ranks.allocate(kCount);
        const std::span<float> values = (inHeap >> ranks.rank() & 1) != 0 ? heap : std::span(plain);
        for (const int scale : {1, 2, 3}) {  // each sum directly after the previous one
            for (std::size_t i = 0; i < kCount; ++i) values[i] = valueOf(ranks.rank(), i) * static_cast<float>(scale);
            ranks.allReduce(CommBuffer::of(values), ReduceOp::kSum);
            for (std::size_t i = 0; i < kCount; ++i) {
                const auto term = [&](int rank) { return valueOf(rank, i) * static_cast<float>(scale); };
                const float sum = (term(0) + term(1)) + (term(2) + term(3));
                if (values[i] != sum) throw std::runtime_error("other bits at " + std::to_string(i));
            }
        }
    });
}

TEST_CASE("a missing rank of another host is named on every host") {
    if (!glooAvailable()) return;
    const int missing = GENERATE(0, 1, 2, 3);
    CAPTURE(missing);
    Hosts run({0, 0, 1, 1}, {.timeout = milliseconds(400)});
    std::vector<std::future<std::string>> errors;
    std::vector<std::vector<float>> values(4, std::vector<float>(1000));
    for (std::size_t rank = 0; rank < 4; ++rank) {
        if (static_cast<int>(rank) == missing) continue;
        errors.push_back(errorOf(
            [&, rank] { run.ranks[rank]->allReduce(CommBuffer::of(std::span(values[rank])), ReduceOp::kSum); }));
    }
    for (auto& error : errors) {
        CHECK_THAT(error.get(), containing("rank " + std::to_string(missing) + " did not take part in all-reduce"));
    }
}

TEST_CASE("ranks of one host that call different collectives are named, but not as dead") {
    if (!glooAvailable()) return;
    Hosts run({0, 0, 1, 1}, {.timeout = milliseconds(400)});
    std::vector<std::future<std::string>> errors;
    for (std::size_t rank = 0; rank < 4; ++rank) {
        errors.push_back(errorOf([&, rank] {
            std::vector<float> values(rank == 3 ? 10 : 20);
            run.ranks[rank]->allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        }));
    }
    for (std::size_t rank = 0; rank < 4; ++rank) {
        const std::string error = errors[rank].get();
        CAPTURE(rank, error);
        CHECK_THAT(error, containing("rank 2") || containing("rank 3"));
        if (rank < 2) continue;
        CHECK_THAT(error, containing("the ranks called different collectives") && !containing("has died"));
    }
}

TEST_CASE("a rank of another host that sends garbage into sums is suspected by the ranks that receive it") {
    if (!glooAvailable()) return;
    // 64 values are exchanged as a whole. 100,000 values are split into parts, and each host sums one part for all
    // hosts.
    const auto count = GENERATE(std::size_t{64}, std::size_t{100000});
    Hosts run({0, 1, 2});
    onThreads(run.ranks, [&](Communicator& rank) {
        std::vector<float> values(count, rank.rank() == 2 ? std::numeric_limits<float>::quiet_NaN() : 0.5F);
        rank.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        ContributionWatch* watch = rank.contributionWatch();
        if (watch == nullptr) throw std::runtime_error("no watch");
        watch->endStep();
        const auto found = watch->suspectedContributor();
        const int expected = rank.rank() == 2 ? -1 : 2;
        if ((found ? found->rank : -1) != expected) throw std::runtime_error("another rank is suspected");
    });
}

TEST_CASE("a rank that sends an unexpected number of bytes is named as the cause") {
    if (!glooAvailable()) return;
    Hosts run({0, 1});
    std::vector<std::future<std::string>> errors;
    for (const auto& rank : run.ranks) {
        errors.push_back(errorOf([&rank] {
            std::vector<float> values(rank->rank() == 1 ? 3 : 4, 1.0F);
            rank->allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        }));
    }
    CHECK_THAT(
        errors[0].get(),
        containing("rank 1 violates the protocol of the run: the peer sent a message of 12 bytes instead of 16 bytes"));
    CHECK_FALSE(errors[1].get().empty());
}

TEST_CASE("abort ends the waits on all hosts immediately") {
    if (!glooAvailable()) return;
    Hosts run({0, 0, 1, 1});
    std::vector<std::future<std::string>> waiting;
    for (const std::size_t rank : {0U, 1U, 2U}) {
        waiting.push_back(errorOf([&, rank] { run.ranks[rank]->barrier(); }));
    }
    run.ranks[3]->abort();
    for (auto& each : waiting) CHECK(each.get() != "");
    CHECK_THROWS_AS(run.ranks[3]->barrier(), CommError);
}

TEST_CASE("ranks determine by themselves which ranks share memory") {
    const auto store = std::make_shared<InProcessStore>();
    const UniqueFd a = createSharedMemory(4096);
    const UniqueFd b = createSharedMemory(4096);
    const UniqueFd again(::dup(a.get()));
    const std::vector<int> memories{a.get(), b.get(), again.get(), -1, -1};
    std::vector<std::future<std::vector<int>>> found;
    for (int rank = 0; rank < 5; ++rank) {
        found.push_back(std::async(std::launch::async, [&, rank] {
            return findMemorySharers(*store, memories[static_cast<std::size_t>(rank)], rank, 5, milliseconds(10'000));
        }));
    }
    for (auto& each : found) CHECK(each.get() == std::vector<int>{0, 1, 0, 2, 3});
}

TEST_CASE("hosts are numbered by their first rank, and local ranks in order") {
    const HostMap map({9, 4, 9, 4, 4});
    CHECK(map.hostCount() == 2);
    CHECK(map.ranksOn(0) == std::vector<int>{0, 2});
    CHECK(map.ranksOn(1) == std::vector<int>{1, 3, 4});
    CHECK(map.positionOnHost(4) == 2);
    CHECK(map.hostOf(2) == 0);
    CHECK(map.ranksPerHost() == 0);
    CHECK(HostMap({1, 1, 0, 0}).ranksPerHost() == 2);
}
