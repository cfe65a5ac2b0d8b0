// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_marks.h"

#include "support/catch.h"

using namespace ringside;

namespace {

ShardPlan planOf(SamplerKind kind, std::int64_t n, std::int64_t world) {
    ShardSpec spec;
    spec.datasetSize = n;
    spec.worldSize = world;
    spec.batchSize = 3;
    spec.kind = kind;
    return ShardPlan::make(spec).value();
}

}  // namespace

TEST_CASE("padding is found at the end of each rank") {
    // 10 samples on 4 ranks: 12 positions; the distributed sampler repeats on ranks 2 and 3, one block each gives the
    // last rank both.
    const ShardPlan distributed = planOf(SamplerKind::kDistributed, 10, 4);
    CHECK(paddedSlots(distributed, 1).count == 0);
    CHECK(paddedSlots(distributed, 2).first == 2);
    CHECK(paddedSlots(distributed, 3).count == 1);
    const ShardPlan blocks = planOf(SamplerKind::kContiguous, 10, 4);
    CHECK(paddedSlots(blocks, 2).count == 0);
    CHECK(paddedSlots(blocks, 3).first == 1);
    CHECK(paddedSlots(blocks, 3).count == 2);
    CHECK(paddedSlots(planOf(SamplerKind::kUnpadded, 10, 4), 3).count == 0);
    CHECK(paddedSlots(planOf(SamplerKind::kDistributed, 2, 7), 6).first == 0);
}

TEST_CASE("the padded slots are exactly the slots that are padded") {
    for (const SamplerKind kind : {SamplerKind::kDistributed, SamplerKind::kBatchSharded, SamplerKind::kContiguous,
                                   SamplerKind::kUnpadded, SamplerKind::kSubset}) {
        for (const std::int64_t n : {1, 2, 5, 10, 97, 100}) {
            for (const std::int64_t world : {1, 2, 3, 8, 33}) {
                const ShardPlan plan = planOf(kind, n, world);
                std::int64_t found = 0;
                for (int rank = 0; rank < world; ++rank) {
                    const SlotRange padded = paddedSlots(plan, rank);
                    CHECK(padded.first + padded.count == plan.samplesOf(rank));
                    if (padded.first > 0) CHECK(!plan.isPadded(rank, padded.first - 1));
                    if (padded.count > 0) CHECK(plan.isPadded(rank, padded.first));
                    found += padded.count;
                }
                CHECK(found == plan.padding());
            }
        }
    }
}

TEST_CASE("a scan finds the same uses as the inverse order") {
    for (const SamplerKind kind : {SamplerKind::kDistributed, SamplerKind::kRandom, SamplerKind::kBatchSharded}) {
        const ShardPlan plan = planOf(kind, 23, 5);
        for (std::int64_t sample = -1; sample <= 23; ++sample) {
            const auto known = plan.usesOf(sample), scanned = plan.usesByScan(sample);
            REQUIRE(known.size() == scanned.size());
            for (std::size_t i = 0; i < known.size(); ++i) {
                CHECK(known[i].rank == scanned[i].rank);
                CHECK(known[i].slot == scanned[i].slot);
                CHECK(known[i].padded == scanned[i].padded);
            }
        }
    }
}
