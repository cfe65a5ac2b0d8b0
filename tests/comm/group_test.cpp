// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "base/errors/errors.h"
#include "comm/group_members.h"
#include "comm/ranks_as_threads.h"
#include "comm/shm/shm_communicator.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

TEST_CASE("a group is ordered by key and then by rank; a rank without a colour is in no group") {
    const std::vector<GroupRequest> requests{{1, 5}, {0, 0}, {1, 5}, {1, -2}, {-1, 0}};
    CHECK(membersOf(requests, 0).ranks == std::vector<int>{3, 0, 2});
    CHECK(membersOf(requests, 2).own == 2);
    CHECK(membersOf(requests, 1).ranks == std::vector<int>{1});
    CHECK(membersOf(requests, 4).ranks.empty());
}

TEST_CASE("a missing rank in a group is named by its rank in the run") {
    const auto ranks = makeLocalCommunicators(4, {300ms});
    std::vector<std::unique_ptr<Communicator>> groups(4);
    onThreads(ranks, [&](Communicator& self) {
        groups[static_cast<std::size_t>(self.rank())] = self.split(self.rank() / 2, 0);
    });
    const std::string error = errorOf([&] { groups[2]->barrier(); }).get();
    CHECK_THAT(error, Catch::Matchers::StartsWith("rank 3 did not reach collective 1 (barrier) within 300 ms"));
}

TEST_CASE("a silent rank in a group is named by its rank in the run") {
    const auto ranks = makeLocalCommunicators(3, {300ms});
    std::vector<std::unique_ptr<Communicator>> groups(3);
    onThreads(ranks, [&](Communicator& self) {
        groups[static_cast<std::size_t>(self.rank())] = self.split(self.rank() == 0 ? -1 : 0, 0, GroupUse::kMessages);
    });
    std::vector<float> values(5);
    const std::string error = errorOf([&] { groups[1]->recvAsync(CommBuffer::of(std::span(values)), 1).wait(); }).get();
    CHECK_THAT(error, Catch::Matchers::StartsWith("rank 2 did not send 5 floats to rank 1 within 300 ms"));
}

TEST_CASE("waits in a group end when communication fails in another group") {
    const auto ranks = makeLocalCommunicators(4, {20s});
    std::vector<std::unique_ptr<Communicator>> groups(4);
    onThreads(ranks, [&](Communicator& self) {
        groups[static_cast<std::size_t>(self.rank())] = self.split(self.rank() / 2, 0);
    });
    auto waiting = errorOf([&] { groups[0]->barrier(); });
    groups[3]->abort();
    CHECK_THAT(waiting.get(), Catch::Matchers::Contains("rank 3 aborted communication"));
    CHECK_THAT(errorOf([&] { ranks[1]->barrier(); }).get(), Catch::Matchers::Contains("rank 3 aborted communication"));
}

TEST_CASE("sent bytes are counted as for ring algorithms") {
    onLocalRanks(4, [](Communicator& self) {
        std::vector<float> values(100), all(400);
        self.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        if (self.bytesSent() != 2 * 400 * 3 / 4) throw std::runtime_error("all-reduce");
        self.allGather(CommBuffer::of(std::span(values)), CommBuffer::of(std::span(all)));
        self.reduceScatter(CommBuffer::of(std::span(all)), CommBuffer::of(std::span(values)), ReduceOp::kSum);
        if (self.bytesSent() != 600 + 1200 + 1200) throw std::runtime_error("all-gather and reduce-scatter");
    });
}
