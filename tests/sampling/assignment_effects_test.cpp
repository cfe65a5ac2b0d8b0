// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/assignment_effects.h"

#include <cmath>

#include "support/catch.h"

using namespace ringside;

namespace {

ShardSpec thousandOnFour(const PitfallsConfig& pitfalls) {
    return {.datasetSize = 1000, .worldSize = 4, .pitfalls = pitfalls};
}

AssignmentEffects damageOf(const ShardSpec& spec) {
    return assignmentEffects(ShardPlan::make(spec).value());
}

std::int64_t neverSeen(ShardSpec spec, std::int64_t epochs) {
    std::vector<bool> seen(static_cast<std::size_t>(spec.datasetSize));
    std::int64_t left = spec.datasetSize;
    for (spec.epoch = 0; spec.epoch < epochs; ++spec.epoch) left -= markTrained(ShardPlan::make(spec).value(), seen);
    return left;
}

}  // namespace

TEST_CASE("Without a mistake ranks share only the padding") {
    const AssignmentEffects damage = damageOf({.datasetSize = 10, .worldSize = 4});
    CHECK(damage.seen == 10);
    CHECK(damage.uses == 12);
    CHECK(damage.expectedSeen == 10);
    // Ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1: 4 is shared by 0 and 2, 1 by 1 and 3.
    CHECK(damage.overlap == std::vector<std::int64_t>{3, 0, 1, 0, 0, 3, 0, 1, 1, 0, 3, 0, 0, 1, 0, 3});
    CHECK(damage.expectedOverlap == Approx(2.0 / 6));
}

TEST_CASE("A seed per rank leaves (1 - 1/W)^W unseen, and ranks share n / W^2") {
    const ShardSpec spec = thousandOnFour({.seedPerRank = true});
    const AssignmentEffects damage = damageOf(spec);
    CHECK(damage.expectedSeen == Approx(1000 * (1 - std::pow(0.75, 4))));  // 683.6
    CHECK(damage.expectedOverlap == Approx(62.5));
    double seen = 0, shared = 0;
    for (int i = 0; i < 100; ++i) {
        ShardSpec other = spec;
        other.seed = 1000 * i;
        const AssignmentEffects one = damageOf(other);
        seen += static_cast<double>(one.seen) / 100;
        shared += static_cast<double>(one.overlap[1]) / 100;
    }
    // Six standard errors: a sample's part has a variance of less than 1/4, and the draws are negatively related.
    CHECK(std::abs(seen - damage.expectedSeen) < 6 * std::sqrt(250.0 / 100));
    CHECK(std::abs(shared - 62.5) < 6 * std::sqrt(62.5 / 100));
}

TEST_CASE("Double sharding sees 1 / W, one rank for all sees 1 / W, a world too large sees W / V") {
    const AssignmentEffects twice = damageOf(thousandOnFour({.doubleSharding = true}));
    CHECK(twice.seen == 252);  // 250 per rank, ceil(250 / 4) = 63 of them, and the parts are disjoint
    CHECK(twice.expectedSeen == Approx(252));
    CHECK(twice.overlap[1] == 0);
    const AssignmentEffects same = damageOf(thousandOnFour({.wrongRank = 2}));
    CHECK(same.seen == 250);
    CHECK(same.expectedSeen == Approx(250));
    CHECK(same.overlap[1] == 250);
    CHECK(same.expectedOverlap == Approx(250));
    const AssignmentEffects large = damageOf(thousandOnFour({.wrongWorldSize = 8}));
    CHECK(large.seen == 500);
    CHECK(large.expectedSeen == Approx(500));
}

TEST_CASE("the number of samples unused in several epochs agrees with its closed formula") {
    const auto check = [](const ShardSpec& spec, std::int64_t epochs, double expected) {
        CHECK(expectedNeverSeen(spec, epochs, false) == Approx(expected));
        CHECK(std::abs(static_cast<double>(neverSeen(spec, epochs)) - expected) < 6 * std::sqrt(expected) + 1);
    };
    check(thousandOnFour({.wrongRank = 0}), 3, 1000 * std::pow(0.75, 3));
    check(thousandOnFour({.wrongWorldSize = 8}), 4, 1000 * std::pow(0.5, 4));
    // Two ranks in two epochs deal the permutations 0, 1, 1, 2: a half each, and both halves of permutation 1.
    const ShardSpec two{.datasetSize = 1000, .worldSize = 2, .pitfalls = {.seedPerRank = true}};
    CHECK(expectedNeverSeen(two, 1, false) == Approx(250));
    CHECK(expectedNeverSeen(two, 2, false) == Approx(0).margin(1e-9));
    CHECK(neverSeen(two, 2) == 0);
    // With the same order in each epoch more epochs do not help.
    CHECK(expectedNeverSeen(thousandOnFour({.wrongRank = 0}), 9, true) == Approx(750));
}
