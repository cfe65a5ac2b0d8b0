// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_diff.h"

#include <map>

#include "support/catch.h"

using namespace ringside;

namespace {

// Ten samples on four ranks: torch.randperm(10) seeded with 0 is 4 1 7 5 3 9 0 8 6 2, with 1 it is 5 6 1 2 0 8 9 3 7 4.
// Epoch 0: 4 3 6 | 1 9 2 | 7 0 (4) | 5 8 (1). Epoch 1: 5 0 7 | 6 8 4 | 1 9 (5) | 2 3 (6).
ShardSpec tenOnFourIn(std::int64_t epoch) {
    return {.datasetSize = 10, .worldSize = 4, .epoch = epoch, .batchSize = 2};
}

ShardPlan planFor(const ShardSpec& spec) {
    return ShardPlan::make(spec).value();
}

}  // namespace

TEST_CASE("the owner of a sample is its first position") {
    const std::vector<SampleOwner> owners = sampleOwners(planFor(tenOnFourIn(0)));
    CHECK(owners[4] == SampleOwner{0, 0});
    CHECK(owners[1] == SampleOwner{1, 0});
    CHECK(owners[2] == SampleOwner{1, 2});
    ShardSpec cut = tenOnFourIn(0);
    cut.dropLast = true;
    CHECK(sampleOwners(planFor(cut))[2] == SampleOwner{-1, -1});
}

// Unpadded and in order, the ranks have 0 4 8 | 1 5 9 | 2 6 | 3 7. With the loader's drop_last, the last two ranks have
// no batch of three.
TEST_CASE("samples that the loader drops on shorter ranks have no step in common") {
    ShardSpec kept{.datasetSize = 10, .worldSize = 4, .shuffle = false, .batchSize = 3};
    kept.kind = SamplerKind::kUnpadded;
    ShardSpec cut = kept;
    cut.loaderDropLast = true;
    const PlanDiff diff = diffPlans(planFor(kept), planFor(cut));
    CHECK(diff.sameSlot == 10);
    CHECK(diff.sameRankStep == 6);
}

TEST_CASE("two epochs are compared sample by sample, and with chance") {
    // No sample of epoch 0 stays on its rank in epoch 1.
    const PlanDiff diff = diffPlans(planFor(tenOnFourIn(0)), planFor(tenOnFourIn(1)));
    CHECK(diff.samples == 10);
    CHECK(diff.sameRank == 0);
    CHECK(diff.expectedSameRank == Approx(2.5));
    // Steps hold 2 and 1 of a rank's 3: (2/3)^2 + (1/3)^2 = 5/9.
    CHECK(diff.expectedSameRankStep == Approx(2.5 * 5 / 9));
    CHECK(!diff.identical());
}

TEST_CASE("the same order twice is identical") {
    const PlanDiff diff = diffPlans(planFor(tenOnFourIn(0)), planFor(tenOnFourIn(0)));
    CHECK(diff.identical());
    CHECK(diff.sameRankStep == 10);
}

TEST_CASE("settings with different samples are compared on their common samples") {
    ShardSpec cut = tenOnFourIn(0);
    cut.dropLast = true;
    PlanDiff diff = diffPlans(planFor(tenOnFourIn(0)), planFor(cut));
    CHECK(diff.samples == 8);
    CHECK(diff.onlyFirst == 2);
    CHECK(diff.sameSlot == 8);
    CHECK(!diff.identical());
    ShardSpec two = tenOnFourIn(0);
    two.worldSize = 2;
    // 4 7 3 0 6 | 1 5 9 8 2: ranks 0 and 1 keep 4 3 6 and 1 9 2.
    diff = diffPlans(planFor(tenOnFourIn(0)), planFor(two));
    CHECK(diff.sameRank == 6);
    CHECK(diff.expectedSameRank == Approx(2.5));
}

TEST_CASE("any two plans are compared as their lists are") {
    std::vector<ShardSpec> specs = {tenOnFourIn(0), tenOnFourIn(1)};
    for (const SamplerKind kind : {SamplerKind::kContiguous, SamplerKind::kUnpadded, SamplerKind::kRandom})
        specs.push_back({.datasetSize = 10, .worldSize = 3, .batchSize = 2, .kind = kind});
    specs.push_back({.datasetSize = 12, .worldSize = 4, .batchSize = 2, .loaderDropLast = true});
    specs.push_back({.datasetSize = 10, .worldSize = 4, .dropLast = true, .batchSize = 2});
    specs.push_back({.datasetSize = 12, .worldSize = 4, .shuffle = false, .batchSize = 2});
    specs.push_back({.datasetSize = 10, .worldSize = 4, .shuffle = false, .batchSize = 2, .loaderDropLast = true});
    // Returns the first rank and slot of each sample in training order.
    const auto ownersOf = [](const ShardPlan& plan) {
        std::map<std::int64_t, std::pair<int, std::int64_t>> owners;
        for (std::int64_t slot = 0; slot < plan.samplesPerRank(); ++slot)
            for (int rank = 0; rank < plan.spec().worldSize; ++rank)
                if (slot < plan.samplesOf(rank)) owners.emplace(plan.index(rank, slot), std::pair(rank, slot));
        return owners;
    };
    for (const ShardSpec& one : specs)
        for (const ShardSpec& two : specs) {
            const ShardPlan first = planFor(one);
            const ShardPlan second = planFor(two);
            const PlanDiff diff = diffPlans(first, second);
            PlanDiff expected;
            const auto ours = ownersOf(first);
            const auto theirs = ownersOf(second);
            for (std::int64_t sample = 0; sample < 12; ++sample) {
                const auto a = ours.find(sample);
                const auto b = theirs.find(sample);
                if (a == ours.end() || b == theirs.end()) {
                    expected.onlyFirst += a != ours.end() ? 1 : 0;
                    expected.onlySecond += b != theirs.end() ? 1 : 0;
                    continue;
                }
                ++expected.samples;
                const auto [rank, slot] = a->second;
                const auto [otherRank, otherSlot] = b->second;
                const bool trained = slot < first.trainedOf(rank) && otherSlot < second.trainedOf(otherRank);
                expected.sameRank += rank == otherRank ? 1 : 0;
                expected.sameSlot += rank == otherRank && slot == otherSlot ? 1 : 0;
                expected.sameRankStep += rank == otherRank && trained && slot / 2 == otherSlot / 2 ? 1 : 0;
            }
            CAPTURE(samplerName(one.kind), samplerName(two.kind), one.datasetSize, two.datasetSize);
            CHECK(diff.samples == expected.samples);
            CHECK(diff.onlyFirst == expected.onlyFirst);
            CHECK(diff.onlySecond == expected.onlySecond);
            CHECK(diff.sameRank == expected.sameRank);
            CHECK(diff.sameSlot == expected.sameSlot);
            CHECK(diff.sameRankStep == expected.sameRankStep);
            const bool areUneven = one.kind == SamplerKind::kUnpadded && two.kind == SamplerKind::kUnpadded;
            const auto ranks = static_cast<double>(std::max(one.worldSize, two.worldSize));
            // Unpadded ranks have 4 3 3 of ten samples: 0.4^2 + 0.3^2 + 0.3^2.
            CHECK(diff.expectedSameRank == Approx(static_cast<double>(diff.samples) * (areUneven ? 0.34 : 1 / ranks)));
        }
}

TEST_CASE("a stopped comparison has no owners") {
    const std::atomic<bool> stop = true;
    CHECK(diffPlans(planFor(tenOnFourIn(0)), planFor(tenOnFourIn(0)), &stop).samples == 0);
}

// Ranks have 3 3 2 2 of 10 samples, in steps of 2: (2 + 1), (2 + 1), 2, 2. Two independent plans put a sample on the
// same rank with probability (9 + 9 + 4 + 4) / 100, and into the same step of it with (4 + 1 + 4 + 1 + 4 + 4) / 100.
TEST_CASE("the effect of chance is computed for ranks of different lengths") {
    ShardSpec spec = tenOnFourIn(0);
    spec.kind = SamplerKind::kUnpadded;
    ShardSpec other = spec;
    other.epoch = 1;
    const PlanDiff diff = diffPlans(planFor(spec), planFor(other));
    CHECK(diff.expectedSameRank == Approx(2.6));
    CHECK(diff.expectedSameRankStep == Approx(1.8));
}
