// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_fallback.h"

#include <thread>
#include <vector>

#include "base/errors/errors.h"
#include "comm/communicator_factory.h"
#include "comm/in_process_store.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

struct Outcome {
    bool joined = false;
    bool fellBack = false;
    std::string whyNot;
};

// Connects ranks that are threads of this process. NCCL refuses the rank `refused`.
std::vector<Outcome> join(int size, int refused) {
    InProcessStore store;
    std::vector<Outcome> outcomes(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&store, &outcomes, rank, size, refused] {
            Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
            NcclAttempt attempt{rank, size, 10s, {}, {}};
            attempt.connect = [rank, refused] {
                if (rank == refused) throw CommError("rank 1: NCCL: invalid usage (5)");
                return std::move(makeLocalCommunicators(1).front());
            };
            attempt.fallBack = [&outcome] {
                outcome.fellBack = true;
                return std::move(makeLocalCommunicators(1).front());
            };
            outcome.joined = connectOrFallBack(store, attempt, outcome.whyNot) != nullptr;
        });
    for (std::thread& thread : threads) thread.join();
    return outcomes;
}

}  // namespace

TEST_CASE("ranks use NCCL if it accepts all of them") {
    for (const Outcome& outcome : join(3, -1)) {
        CHECK(outcome.joined);
        CHECK_FALSE(outcome.fellBack);
        CHECK(outcome.whyNot.empty());
    }
}

TEST_CASE("if NCCL refuses one rank, all ranks fall back together with the reason") {
    for (const Outcome& outcome : join(3, 1)) {
        CHECK(outcome.fellBack);
        CHECK(outcome.whyNot == "rank 1: NCCL: invalid usage (5)");
    }
}

TEST_CASE("a rank that never reports its outcome is an error, not a hang") {
    InProcessStore store;
    std::string whyNot;
    const NcclAttempt attempt{0, 2, 20ms, [] { return std::move(makeLocalCommunicators(1).front()); },
                              [] { return std::unique_ptr<Communicator>(); }};
    CHECK_THROWS_AS(connectOrFallBack(store, attempt, whyNot), CommError);
}
