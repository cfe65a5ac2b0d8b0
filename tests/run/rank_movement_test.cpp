// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/rank_movement.h"

#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

Heartbeat beat(Phase phase, std::int64_t step, std::int64_t batches) {
    Heartbeat one;
    one.phase = phase;
    one.step = step;
    one.batches = batches;
    return one;
}

}  // namespace

TEST_CASE("a rank is stalled from the first heartbeat without progress") {
    RankMovement rank;
    const TimePoint start{};
    rank.update(beat(Phase::kForward, 3, 4), start);
    rank.update(beat(Phase::kForward, 3, 4), start + 1s);
    CHECK(rank.stalledSeconds(start + 9s) == 9);
    rank.update(beat(Phase::kForward, 3, 5), start + 9s);  // another micro-batch of the same step
    CHECK(rank.stalledSeconds(start + 10s) == 1);
    CHECK(rank.longestStallSeconds() == 9);
}

TEST_CASE("reading data, saving and connecting may take long") {
    for (const Phase phase : {Phase::kDataWait, Phase::kCheckpoint, Phase::kConnect, Phase::kPaused, Phase::kIdle}) {
        RankMovement rank;
        rank.update(beat(phase, 3, 4), TimePoint{} + 1s);
        CHECK(rank.stalledSeconds(TimePoint{} + 1h) == 0);
        rank.update(beat(Phase::kOptimizer, 3, 4), TimePoint{} + 2h);
        CHECK(rank.longestStallSeconds() == 0);
        CHECK(rank.stalledSeconds(TimePoint{} + 2h + 4s) == 4);
    }
}

TEST_CASE("time without polling does not count") {
    RankMovement rank;
    rank.update(beat(Phase::kValidation, 3, 4), TimePoint{});
    rank.restart(TimePoint{} + 1h);
    CHECK(rank.stalledSeconds(TimePoint{} + 1h + 1s) == 1);
}
