// SPDX-License-Identifier: Apache-2.0
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "base/errors/errors.h"
#include "comm/collective_checks.h"
#include "comm/ranks_as_threads.h"
#include "comm/shm/shm_communicator.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Returns the CPU time of a thread of this process, in nanoseconds.
std::int64_t processorTime(long thread) {
    std::int64_t nanoseconds = -1;
    std::ifstream("/proc/self/task/" + std::to_string(thread) + "/schedstat") >> nanoseconds;
    return nanoseconds;
}

bool sleeps(long thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    return stat.find(") S ") != std::string::npos;
}

// Returns true as soon as a thread sleeps without using CPU time, and false if it does not within 30 s.
bool comesToRest(long thread) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
        const std::int64_t before = processorTime(thread);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (sleeps(thread) && processorTime(thread) == before) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("ranks as threads agree on every collective") {
    int size = GENERATE(1, 2, 3, 4, 7, 16);
    CAPTURE(size);
    onLocalRanks(size, [](Communicator& ranks) { checkEverything(ranks, true); });
}

TEST_CASE("more ranks than one pass can add reduce a message of many chunks") {
    onLocalRanks(6, [](Communicator& ranks) { checkFloatSum(ranks, 600'001, true); });
}

TEST_CASE("a reduction works when only some ranks pass allocated memory") {
    // Within one round's bounds, outside heaps, and beyond them.
    const std::size_t count = GENERATE(2'001, 7'001, 700'001);
    onLocalRanks(3, [count](Communicator& ranks) {
        std::vector<std::int64_t> plain(count);
        auto shared = ranks.allocate(2 * count);
        std::span<std::int64_t> values(plain);
        if (ranks.rank() == 1) values = {reinterpret_cast<std::int64_t*>(shared.data()), count};
        for (std::size_t i = 0; i < count; ++i) values[i] = ranks.rank() + static_cast<std::int64_t>(i);
        ranks.allReduce(CommBuffer::of(values), ReduceOp::kSum);
        for (std::size_t i = 0; i < count; ++i) {
            if (values[i] != 3 + 3 * static_cast<std::int64_t>(i)) throw std::runtime_error("wrong sum");
        }
    });
}

TEST_CASE("gather and scatter work with allocated memory on all, some and none of the ranks") {
    const std::size_t count = GENERATE(0, 1'003, 12'007, 900'001);  // one round, one of heaps, many chunks
    const int fromHeap = GENERATE(0, 1, 3);
    CAPTURE(count, fromHeap);
    onLocalRanks(3, [&](Communicator& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        std::vector<float> plain(3 * count);
        std::span<float> in = ranks.rank() < fromHeap ? ranks.allocate(3 * count) : std::span(plain);
        std::vector<float> all(3 * count, -1.0F);
        std::vector<float> sum(count, -1.0F);
        // The second turn overwrites the values that the first turn made visible to the other ranks.
        for (const float turn : {0.0F, 4.0F}) {
            for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(rank + i % 1000) + turn;
            ranks.allGather(CommBuffer::of(in.first(count)), CommBuffer::of(std::span(all)));
            for (std::size_t i = 0; i < 3 * count; ++i)
                if (all[i] != static_cast<float>(i / count + i % count % 1000) + turn)
                    throw std::runtime_error("gathered");
            for (std::size_t i = 0; i < 3 * count; ++i)
                in[i] = static_cast<float>(rank * (i / count + 1) + i % count % 1000) + turn;
            ranks.reduceScatter(CommBuffer::of(in), CommBuffer::of(std::span(sum)), ReduceOp::kSum);
            for (std::size_t i = 0; i < count; ++i)
                if (sum[i] != static_cast<float>(3 * (rank + 1) + 3 * (i % 1000)) + 3 * turn)
                    throw std::runtime_error("scattered");
        }
    });
}

TEST_CASE("collectives are numbered from one on every rank") {
    onLocalRanks(2, [](Communicator& ranks) {
        if (ranks.collectiveNumber() != 0) throw std::runtime_error("counts before the first");
        ranks.barrier();
        float value = 1;
        ranks.allReduce(CommBuffer::of(std::span(&value, 1)), ReduceOp::kSum);
        ranks.allReduceAsync(CommBuffer::of(std::span(&value, 1)), ReduceOp::kSum).wait();
        if (ranks.collectiveNumber() != 3) throw std::runtime_error("lost count");
    });
}

TEST_CASE("ranks that wait for a late rank use no processor time") {
    constexpr std::size_t kWaiting = 7;
    auto ranks = makeLocalCommunicators(kWaiting + 1, {});
    std::vector<std::atomic<long>> threads(kWaiting);
    std::vector<std::thread> waiting;
    for (std::size_t i = 0; i < kWaiting; ++i) {
        waiting.emplace_back([&, i] {
            threads[i] = ::syscall(SYS_gettid);
            std::vector<float> values(1'000, 1.0F);
            ranks[i]->allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        });
    }
    std::vector<bool> resting;
    for (const auto& thread : threads) {
        while (thread == 0) std::this_thread::yield();
        resting.push_back(comesToRest(thread));
    }
    std::vector<float> values(1'000, 1.0F);
    ranks[kWaiting]->allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    for (std::thread& thread : waiting) thread.join();
    CHECK(resting == std::vector<bool>(kWaiting, true));
    CHECK(values.front() == 8.0F);
}

TEST_CASE("a missing rank is named with the collective that it missed") {
    auto ranks = makeLocalCommunicators(3, {.timeout = std::chrono::milliseconds(200)});
    std::vector<float> values(10'634, 1.0F);
    std::vector<float> others(10'634, 1.0F);
    auto second = errorOf([&] {
        ranks[1]->barrier();
        ranks[1]->allReduce(CommBuffer::of(std::span(others)), ReduceOp::kSum);
    });
    auto third = errorOf([&] { ranks[2]->barrier(); });
    ranks[0]->barrier();
    try {
        ranks[0]->allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        FAIL("rank 2 was not missed");
    } catch (const CommError& error) {
        CHECK(error.missingRank() == 2);
        CHECK_THAT(error.what(), containing("collective 2 (all-reduce of 10,634 floats)"));
    }
    CHECK_THROWS_AS(ranks[0]->barrier(), CommError);  // the communicator is unusable after a failure
    CHECK_THAT(second.get(), containing("rank 2"));
    CHECK(third.get().empty());
}

TEST_CASE("a rank that calls a different collective is named") {
    auto ranks = makeLocalCommunicators(2);
    std::vector<float> four(4);
    std::vector<float> five(5);
    auto other = errorOf([&] { ranks[1]->allReduce(CommBuffer::of(std::span(five)), ReduceOp::kSum); });
    CHECK_THROWS_WITH(ranks[0]->allReduce(CommBuffer::of(std::span(four)), ReduceOp::kSum),
                      containing("rank 1 called all-reduce of 5 floats"));
    CHECK_THAT(other.get(), containing("rank 0 called all-reduce of 4 floats"));
}

TEST_CASE("abort from another thread ends every pending wait immediately") {
    auto ranks = makeLocalCommunicators(3);  // the timeout is 30 s, so only abort() can end the wait in time
    auto first = errorOf([&] { ranks[0]->barrier(); });
    auto second = errorOf([&] { ranks[1]->barrier(); });
    auto third = errorOf([&] {
        float value = 0;
        ranks[2]->recv(CommBuffer::of(std::span(&value, 1)), 0);
    });
    ranks[2]->abort();
    for (auto* error : {&first, &second, &third}) CHECK_THAT(error->get(), containing("rank 2 aborted communication"));
    CHECK_THROWS_AS(ranks[0]->barrier(), CommError);
}

TEST_CASE("asynchronous reductions keep their order with a thread and without") {
    auto mode = GENERATE(ShmCommunicator::Async::kThread, ShmCommunicator::Async::kSplit);
    int size = GENERATE(1, 3);
    auto arena = std::make_shared<const Arena>(-1, ArenaLayout::bytesFor(size, 4U << 20), size);
    std::vector<std::unique_ptr<Communicator>> ranks;
    for (int rank = 0; rank < size; ++rank) {
        ranks.push_back(std::make_unique<ShmCommunicator>(arena, rank, CommOptions{}, "local", mode));
    }
    onThreads(ranks, [](Communicator& each) {
        checkAsyncOrder(each);
        auto shared = each.allocate(500'000);
        std::fill(shared.begin(), shared.end(), 1.5F);
        auto handle = each.allReduceAsync(CommBuffer::of(shared), ReduceOp::kSum);
        handle.wait();
        handle.wait();  // a second wait() has no effect
        float expected = 1.5F * static_cast<float>(each.size());
        if (shared.front() != expected || shared.back() != expected) throw std::runtime_error("wrong sum");
    });
}

TEST_CASE("an asynchronous reduction that is aborted throws from its handle") {
    auto mode = GENERATE(ShmCommunicator::Async::kThread, ShmCommunicator::Async::kSplit);
    auto arena = std::make_shared<const Arena>(-1, ArenaLayout::bytesFor(2, 0), 2);
    ShmCommunicator rank(arena, 0, {}, "local", mode);
    std::vector<float> values(8);
    auto handle = rank.allReduceAsync(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    rank.abort();
    CHECK_THROWS_AS(handle.wait(), CommError);
    CHECK_THROWS_AS(rank.barrier(), CommError);
}

TEST_CASE("a rank that exits during a reduction ends the wait of the other ranks") {
    auto mode = GENERATE(ShmCommunicator::Async::kThread, ShmCommunicator::Async::kSplit);
    auto arena = std::make_shared<const Arena>(-1, ArenaLayout::bytesFor(3, 0), 3);
    ShmCommunicator stays(arena, 0, {}, "local", mode);
    auto leaves = std::make_unique<ShmCommunicator>(arena, 1, CommOptions{}, "local", mode);
    std::vector<float> own(8);
    std::vector<float> others(8);
    auto handle = stays.allReduceAsync(CommBuffer::of(std::span(own)), ReduceOp::kSum);
    leaves->allReduceAsync(CommBuffer::of(std::span(others)), ReduceOp::kSum);
    leaves.reset();
    CHECK_THROWS_WITH(handle.wait(), containing("rank 1 aborted communication"));
}

TEST_CASE("a message with an unexpected size is refused") {
    auto ranks = makeLocalCommunicators(2);
    std::vector<float> two(2);
    std::vector<float> three(3);
    ranks[0]->send(CommBuffer::of(std::span(two)), 1);
    CHECK_THROWS_WITH(ranks[1]->recv(CommBuffer::of(std::span(three)), 0),
                      containing("rank 0 sent 2 floats where rank 1 expects 3 floats"));
    CHECK_THROWS_AS(ranks[0]->send(CommBuffer::of(std::span(two)), 0), CommError);
    CHECK_THROWS_AS(ranks[0]->send(CommBuffer::of(std::span(two)), 2), CommError);
}

TEST_CASE("sending a message longer than the ring blocks only until the deadline") {
    auto ranks = makeLocalCommunicators(2, {.timeout = std::chrono::milliseconds(100)});
    std::vector<float> values(100'000);
    try {
        ranks[0]->send(CommBuffer::of(std::span(values)), 1);
        FAIL("no rank was reported as missing");
    } catch (const CommError& error) {
        CHECK(error.missingRank() == 1);
        CHECK_THAT(error.what(), containing("did not receive 100,000 floats from rank 0 within 100 ms"));
    }
}

TEST_CASE("a tree sum adds ranks at half the distance each time") {
    // In float32, 2^24 + 1 is rounded to 2^24, so the result shows which values were added first.
    const float large = 16777216;
    const std::vector<std::pair<std::vector<float>, float>> cases{
        {{3}, 3},
        {{1, 2}, 3},
        {{large, 1, -large, 1}, 2},              // (r0 + r2) + (r1 + r3)
        {{large, -large, 1, 1}, 1},              // 2^24 + (1 - 2^24); in the order of the ranks it would be 2
        {{large, 1, 0, 2, -large, 1, 0, 3}, 7},  // ((r0 + r4) + (r2 + r6)) + ((r1 + r5) + (r3 + r7))
        {{large, 0, -large, 0, 1, 0, 0, 0}, 0},  // (2^24 + 1) + (-2^24 + 0)
    };
    for (const auto& [values, sum] : cases) {
        onLocalRanks(static_cast<int>(values.size()), [&, expected = sum](Communicator& ranks) {
            const auto own = static_cast<std::size_t>(ranks.rank());
            std::vector<float> mine(5000, values[own]);
            ranks.allReduce(CommBuffer::of(std::span(mine)), ReduceOp::kTreeSum);
            CHECK(std::ranges::all_of(mine, [&](float value) { return value == expected; }));
            std::vector<float> blocks(7 * values.size(), values[own]);
            std::vector<float> block(7);
            ranks.reduceScatter(CommBuffer::of(std::span(blocks)), CommBuffer::of(std::span(block)),
                                ReduceOp::kTreeSum);
            CHECK(std::ranges::all_of(block, [&](float value) { return value == expected; }));
        });
    }
}
