// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "base/errors/errors.h"
#include "comm/collective_checks.h"
#include "comm/in_process_store.h"
#include "comm/ranks_as_threads.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

// Connects ranks that are threads of this process, each with its own Gloo context, over the loopback interface.
std::vector<std::unique_ptr<Communicator>> connectAll(const std::shared_ptr<Store>& store, int size,
                                                      CommOptions options = {}) {
    std::vector<std::unique_ptr<Communicator>> ranks(static_cast<std::size_t>(size));
    std::vector<std::future<std::string>> connecting;
    for (int rank = 0; rank < size; ++rank) {
        connecting.push_back(errorOf(
            [&, rank] { ranks[static_cast<std::size_t>(rank)] = makeGlooCommunicator(store, rank, size, options); }));
    }
    for (auto& each : connecting) REQUIRE(each.get() == "");
    return ranks;
}

}  // namespace

TEST_CASE("ranks over TCP agree on every collective") {
    if (!glooAvailable()) return;
    int size = GENERATE(1, 2, 4);
    CAPTURE(size);
    auto store = std::make_shared<InProcessStore>();
    onThreads(connectAll(store, size), [](Communicator& ranks) { checkEverything(ranks, false); });
}

TEST_CASE("a rank that never connects is named in an error at the deadline") {
    if (!glooAvailable()) return;
    auto store = std::make_shared<InProcessStore>();
    CHECK_THROWS_WITH(makeGlooCommunicator(store, 0, 2, {.timeout = milliseconds(200)}),
                      containing("rank 1 did not connect within 200 ms"));
}

TEST_CASE("a missing rank over TCP is named") {
    if (!glooAvailable()) return;
    auto store = std::make_shared<InProcessStore>();
    auto ranks = connectAll(store, 3, {.timeout = milliseconds(300)});
    std::vector<float> values(1000);
    std::vector<float> others(1000);
    auto other = errorOf([&] { ranks[1]->allReduce(CommBuffer::of(std::span(others)), ReduceOp::kSum); });
    try {
        ranks[0]->allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        FAIL("rank 2 was not missed");
    } catch (const CommError& error) {
        CHECK(error.missingRank() == 2);
        CHECK_THAT(error.what(), containing("rank 2 did not take part in all-reduce of 1,000 floats (collective 1)"));
    }
    CHECK_THAT(other.get(), containing("rank 2"));
    CHECK_THROWS_AS(ranks[0]->barrier(), CommError);  // the communicator is unusable after a failure
}

TEST_CASE("abort ends a wait over TCP immediately") {
    if (!glooAvailable()) return;
    // Calls abort() before, while and after the wait begins, depending on the number of yields. The timeout is 30 s, so
    // only abort() can end all waits in time.
    for (int yields = 1; yields <= 1 << 14; yields *= 4) {
        auto store = std::make_shared<InProcessStore>();
        auto ranks = connectAll(store, 2);
        std::atomic<bool> entered = false;
        auto waiting = errorOf([&] {
            entered = true;
            ranks[0]->barrier();
        });
        while (!entered) std::this_thread::yield();
        for (int i = 0; i < yields; ++i) std::this_thread::yield();
        ranks[0]->abort();
        CHECK_THAT(waiting.get(), containing("communication was aborted during barrier"));
        CHECK_THROWS_AS(ranks[0]->barrier(), CommError);
    }
}

TEST_CASE("a message over TCP with an unexpected size is refused") {
    if (!glooAvailable()) return;
    auto store = std::make_shared<InProcessStore>();
    auto ranks = connectAll(store, 2, {.timeout = milliseconds(2000)});
    std::vector<float> two(2);
    std::vector<float> three(3);
    auto sending = errorOf([&] { ranks[0]->send(CommBuffer::of(std::span(two)), 1); });
    CHECK_THROWS_WITH(ranks[1]->recv(CommBuffer::of(std::span(three)), 0),
                      containing("rank 0 sent 8 bytes where rank 1 expects 12"));
    sending.get();
}
