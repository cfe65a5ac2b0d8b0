// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/missing_ranks.h"

#include "support/catch.h"

using namespace ringside;

namespace {

RankData rankIn(Phase phase, std::int64_t collective, std::int64_t beatUs, std::int64_t stalledUs) {
    RankData rank;
    rank.state = RankStage::kTraining;
    rank.phase = phase;
    rank.collective = collective;
    rank.beatUs = beatUs;
    rank.stalledUs = stalledUs;
    return rank;
}

}  // namespace

TEST_CASE("the rank for which the other ranks wait is named with its last phase") {
    // The last line of rank 1 was sent at 9.5 s, in the backward pass. The others have waited in collective 41 since 10
    // s.
    const std::vector<RankData> ranks{rankIn(Phase::kWaiting, 41, 13'000'000, 3'000'000),
                                      rankIn(Phase::kBackward, 38, 9'500'000, 0),
                                      rankIn(Phase::kWaiting, 41, 13'200'000, 3'250'000)};
    const auto found = findMissingRanks(ranks);
    REQUIRE(found);
    CHECK(found->missing == std::vector<int>{1});
    CHECK(found->waiting == std::vector<int>{0, 2});
    CHECK(found->sinceUs == 10'000'000);
    CHECK(found->text(14'000'000) == "rank 1 has been missing for 4 s, last reported in backward 4 s ago");
}

TEST_CASE("a rank in the middle of a long phase is also named") {
    const std::vector<RankData> ranks{rankIn(Phase::kWaiting, 41, 13'000'000, 3'000'000),
                                      rankIn(Phase::kDataWait, 40, 13'000'000, 3'000'000)};
    REQUIRE(findMissingRanks(ranks));
    CHECK(findMissingRanks(ranks)->missing == std::vector<int>{1});
    CHECK(findMissingRanks(ranks)->phase == Phase::kDataWait);
}

TEST_CASE("a paused rank keeps no rank waiting, unless its heartbeats have stopped") {
    std::vector<RankData> ranks{rankIn(Phase::kPaused, 40, 13'000'000, 3'000'000),
                                rankIn(Phase::kWaiting, 41, 13'000'000, 2'000'000),
                                rankIn(Phase::kPaused, 40, 12'500'000, 2'000'000)};
    CHECK_FALSE(findMissingRanks(ranks));
    ranks[2].beatUs = 7'000'000;
    REQUIRE(findMissingRanks(ranks));
    CHECK(findMissingRanks(ranks)->missing == std::vector<int>{2});
}

TEST_CASE("no rank is named while ranks progress, or if all wait in one collective") {
    CHECK_FALSE(
        findMissingRanks({rankIn(Phase::kWaiting, 41, 13'000'000, 100), rankIn(Phase::kForward, 40, 13'000'000, 0)}));
    CHECK_FALSE(findMissingRanks(
        {rankIn(Phase::kWaiting, 41, 13'000'000, 2'000'000), rankIn(Phase::kWaiting, 41, 13'000'000, 2'000'000)}));
    CHECK_FALSE(findMissingRanks({}));
}

TEST_CASE("a rank that arrived shortly after the first is not named") {
    // Rank 1 has waited since 10 s, the others since 10.1 s. The last line of rank 2 was sent at 9.8 s.
    std::vector<RankData> ranks{
        rankIn(Phase::kWaiting, 41, 11'000'000, 900'000), rankIn(Phase::kWaiting, 41, 11'050'000, 1'050'000),
        rankIn(Phase::kMoving, 40, 9'800'000, 0), rankIn(Phase::kWaiting, 41, 10'600'000, 500'000)};
    const auto found = findMissingRanks(ranks);
    REQUIRE(found);
    CHECK(found->missing == std::vector<int>{2});
    CHECK(found->waiting == std::vector<int>{0, 1, 3});
    CHECK(found->sinceUs == 10'000'000);
    // A rank that stalled after it arrived at the collective sends no further lines.
    ranks[2] = rankIn(Phase::kMoving, 41, 10'040'000, 0);
    REQUIRE(findMissingRanks(ranks));
    CHECK(findMissingRanks(ranks)->missing == std::vector<int>{2});
}
