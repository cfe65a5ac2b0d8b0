// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/assignment_effects.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "support/catch.h"

using namespace ringside;

namespace {

ShardSpec thousandOnFour(const PitfallsConfig& pitfalls) {
    return {.datasetSize = 1000, .worldSize = 4, .pitfalls = pitfalls};
}

AssignmentEffects effectsOf(const ShardSpec& spec) {
    return assignmentEffects(ShardPlan::make(spec).value());
}

std::int64_t neverSeen(ShardSpec spec, std::int64_t epochs) {
    std::vector<bool> seen(static_cast<std::size_t>(spec.datasetSize));
    std::int64_t left = spec.datasetSize;
    for (spec.epoch = 0; spec.epoch < epochs; ++spec.epoch) left -= markTrained(ShardPlan::make(spec).value(), seen);
    return left;
}

}  // namespace

TEST_CASE("without a mistake ranks share only the padding") {
    const AssignmentEffects effects = effectsOf({.datasetSize = 10, .worldSize = 4});
    CHECK(effects.seen == 10);
    CHECK(effects.uses == 12);
    CHECK(effects.expectedSeen == 10);
    // The ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1: ranks 0 and 2 share sample 4, ranks 1 and 3 share sample 1.
    CHECK(effects.overlap == std::vector<std::int64_t>{3, 0, 1, 0, 0, 3, 0, 1, 1, 0, 3, 0, 0, 1, 0, 3});
    CHECK(effects.expectedOverlap == Approx(2.0 / 6));
}

TEST_CASE("with a seed per rank (1 - 1/W)^W of the samples are unseen, and two ranks share n / W^2") {
    const ShardSpec spec = thousandOnFour({.seedPerRank = true});
    const AssignmentEffects effects = effectsOf(spec);
    CHECK(effects.expectedSeen == Approx(1000 * (1 - std::pow(0.75, 4))));  // 683.6
    CHECK(effects.expectedOverlap == Approx(62.5));
    double seen = 0, shared = 0;
    for (int i = 0; i < 100; ++i) {
        ShardSpec other = spec;
        other.seed = 1000 * i;
        const AssignmentEffects one = effectsOf(other);
        seen += static_cast<double>(one.seen) / 100;
        shared += static_cast<double>(one.overlap[1]) / 100;
    }
    // Six standard errors: the share of a sample has a variance below 1/4, and the draws have a negative correlation.
    CHECK(std::abs(seen - effects.expectedSeen) < 6 * std::sqrt(250.0 / 100));
    CHECK(std::abs(shared - 62.5) < 6 * std::sqrt(62.5 / 100));
}

TEST_CASE("the share of samples seen is 1 / W with double sharding or one rank number, and W / V with a world size V") {
    const AssignmentEffects twice = effectsOf(thousandOnFour({.doubleSharding = true}));
    CHECK(twice.seen == 252);  // 250 per rank, ceil(250 / 4) = 63 of them, and the parts are disjoint
    CHECK(twice.expectedSeen == Approx(252));
    CHECK(twice.overlap[1] == 0);
    const AssignmentEffects same = effectsOf(thousandOnFour({.wrongRank = 2}));
    CHECK(same.seen == 250);
    CHECK(same.expectedSeen == Approx(250));
    CHECK(same.overlap[1] == 250);
    CHECK(same.expectedOverlap == Approx(250));
    const AssignmentEffects large = effectsOf(thousandOnFour({.wrongWorldSize = 8}));
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
    // In two epochs, two ranks use the permutations 0, 1, 1 and 2: one half of each of the permutations 0 and 2, and
    // both halves of permutation 1.
    const ShardSpec two{.datasetSize = 1000, .worldSize = 2, .pitfalls = {.seedPerRank = true}};
    CHECK(expectedNeverSeen(two, 1, false) == Approx(250));
    CHECK(expectedNeverSeen(two, 2, false) == Approx(0).margin(1e-9));
    CHECK(neverSeen(two, 2) == 0);
    // With the same order in each epoch, more epochs do not add samples.
    CHECK(expectedNeverSeen(thousandOnFour({.wrongRank = 0}), 9, true) == Approx(750));
}

TEST_CASE("the overlap of ranks is the number of samples in both lists") {
    std::vector<ShardSpec> specs = {thousandOnFour({.seedPerRank = true}),
                                    thousandOnFour({.wrongRank = 1}),
                                    {.datasetSize = 64, .worldSize = 3},
                                    {.datasetSize = 130, .worldSize = 3, .batchSize = 5, .loaderDropLast = true},
                                    {.datasetSize = 7, .worldSize = 3, .kind = SamplerKind::kUnpadded}};
    for (const ShardSpec& spec : specs) {
        const ShardPlan plan = ShardPlan::make(spec).value();
        const AssignmentEffects effects = assignmentEffects(plan);
        std::vector<std::set<std::int64_t>> sets(static_cast<std::size_t>(spec.worldSize));
        std::set<std::int64_t> all;
        std::int64_t uses = 0;
        for (int rank = 0; rank < spec.worldSize; ++rank)
            for (std::int64_t slot = 0; slot < plan.trainedOf(rank); ++slot, ++uses) {
                sets[static_cast<std::size_t>(rank)].insert(plan.index(rank, slot));
                all.insert(plan.index(rank, slot));
            }
        CHECK(effects.uses == uses);
        CHECK(effects.seen == static_cast<std::int64_t>(all.size()));
        REQUIRE(effects.ranks == spec.worldSize);
        REQUIRE(effects.overlap.size() == sets.size() * sets.size());
        for (std::size_t a = 0; a < sets.size(); ++a)
            for (std::size_t b = 0; b < sets.size(); ++b)
                CHECK(effects.overlap[a * sets.size() + b] ==
                      std::ranges::count_if(sets[a], [&](std::int64_t sample) { return sets[b].contains(sample); }));
    }
    CHECK(effectsOf({.datasetSize = 70, .worldSize = 70}).ranks == 64);
    CHECK(effectsOf({.datasetSize = 64, .worldSize = 64}).ranks == 64);
}

TEST_CASE("the expected overlap is the padding over the pairs of ranks") {
    const auto expected = [](const ShardSpec& spec) { return effectsOf(spec).expectedOverlap; };
    CHECK(expected({.datasetSize = 10, .worldSize = 1}) == 0);
    CHECK(expected({.datasetSize = 10, .worldSize = 2}) == 0);
    CHECK(expected({.datasetSize = 9, .worldSize = 2}) == 1);
    CHECK(expected({.datasetSize = 2, .worldSize = 4}) == Approx(2.0 / 6));  // a b a b
    CHECK(expected({.datasetSize = 1, .worldSize = 4}) == -1);               // more padding than samples
    CHECK(expected({.datasetSize = 10, .worldSize = 4, .batchSize = 2, .loaderDropLast = true}) == -1);
    CHECK(expected({.datasetSize = 8, .worldSize = 4, .batchSize = 2, .loaderDropLast = true}) == 0);
    CHECK(expected({.datasetSize = 10, .worldSize = 1, .batchSize = 4, .loaderDropLast = true}) == 0);
    CHECK(expected(thousandOnFour({.doubleSharding = true})) == 0);
    // Both ranks have all samples except the last two, which the loader drops.
    const ShardSpec replicated{
        .datasetSize = 10, .worldSize = 2, .batchSize = 4, .loaderDropLast = true, .kind = SamplerKind::kRandom};
    CHECK(expected(replicated) == 8);
    CHECK(effectsOf(replicated).expectedSeen == 8);
}

TEST_CASE("no number is expected where no formula is known") {
    ShardSpec subset{.datasetSize = 10, .worldSize = 2, .kind = SamplerKind::kSubset};
    CHECK(expectedNeverSeen(subset, 1, false) == -1);
    CHECK((effectsOf(subset).expectedSeen == -1 && effectsOf(subset).expectedOverlap == -1));
    CHECK(expectedNeverSeen({.datasetSize = 10, .worldSize = 2, .kind = SamplerKind::kWeighted}, 1, false) == -1);
    CHECK(expectedNeverSeen(thousandOnFour({.seedPerRank = true, .doubleSharding = true}), 1, false) == -1);
    CHECK(expectedNeverSeen(thousandOnFour({.seedPerRank = true, .wrongRank = 0}), 1, false) == -1);
    CHECK(expectedNeverSeen({.datasetSize = 0, .worldSize = 2}, 1, false) == -1);
    CHECK(expectedNeverSeen(thousandOnFour({}), 0, false) == -1);
    CHECK(expectedNeverSeen({.datasetSize = 1, .worldSize = 2}, 1, false) == 0);
}

TEST_CASE("the number of missed samples follows from the epochs whose order changes") {
    const auto missed = [](const ShardSpec& spec, std::int64_t epochs) {
        return expectedNeverSeen(spec, epochs, false);
    };
    CHECK(missed(thousandOnFour({}), 1) == 0);
    ShardSpec spec{.datasetSize = 10, .worldSize = 4, .dropLast = true};  // 2 of 10 are dropped
    CHECK(missed(spec, 1) == Approx(2));
    CHECK(missed(spec, 3) == Approx(10 * std::pow(0.2, 3)));
    CHECK(expectedNeverSeen(spec, 3, true) == Approx(2));
    spec.shuffle = false;
    CHECK(missed(spec, 3) == Approx(2));
    spec.pitfalls.seedPerRank = true;  // the seed has no effect without shuffle
    CHECK(missed(spec, 3) == Approx(2));
    ShardSpec sequential{.datasetSize = 10, .worldSize = 2, .batchSize = 4, .loaderDropLast = true};
    sequential.kind = SamplerKind::kSequential;
    CHECK(missed(sequential, 3) == Approx(2));
    // Four ranks with different seeds use permutations 0 to 3 in the first epoch, 1 to 4 in the next one with other
    // slices, and so on.
    const ShardSpec seeds = thousandOnFour({.seedPerRank = true});
    CHECK(missed(seeds, 1) == Approx(1000 * std::pow(0.75, 4)));
    CHECK(missed(seeds, 2) == Approx(1000 * 0.75 * std::pow(0.5, 3) * 0.75));
    CHECK(missed(seeds, 3) == Approx(1000 * 0.75 * 0.5 * 0.25 * 0.25 * 0.5 * 0.75));
    CHECK(expectedNeverSeen(seeds, 3, true) == Approx(1000 * std::pow(0.75, 4)));
}

TEST_CASE("a stopped count examines no sample") {
    const std::atomic<bool> stop = true;
    const ShardPlan plan = ShardPlan::make({.datasetSize = 10, .worldSize = 4}).value();
    std::vector<bool> seen(10);
    CHECK(markTrained(plan, seen, &stop) == 0);
    CHECK(assignmentEffects(plan, &stop).overlap == std::vector<std::int64_t>(16));
}

// Ranks have 3 3 2 2 of 10 samples: batches of 3 keep 6, batches of 2 keep 8. Ranks have no sample in common.
TEST_CASE("unpadded ranks are expected to use the samples that their loaders keep") {
    ShardSpec spec{.datasetSize = 10, .worldSize = 4, .batchSize = 3, .loaderDropLast = true};
    spec.kind = SamplerKind::kUnpadded;
    CHECK(effectsOf(spec).seen == 6);
    CHECK(effectsOf(spec).expectedSeen == Approx(6));
    CHECK(effectsOf(spec).expectedOverlap == 0);
    spec.batchSize = 2;
    CHECK(effectsOf(spec).seen == 8);
    CHECK(effectsOf(spec).expectedSeen == Approx(8));
    spec.loaderDropLast = false;
    CHECK(effectsOf(spec).expectedSeen == Approx(10));
}
