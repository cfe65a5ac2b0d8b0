// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/sample_history.h"

#include "support/catch.h"

using namespace ringside;

namespace {

ShardSpec tenInOrder(int world) {
    ShardSpec spec;
    spec.datasetSize = 10;
    spec.worldSize = world;
    spec.shuffle = false;
    spec.batchSize = 2;
    return spec;
}

}  // namespace

TEST_CASE("every use of a sample has its batch mates") {
    // 4 ranks of 3: 0 4 8 | 1 5 9 | 2 6 0 | 3 7 1, two in a step
    const ShardPlan plan = ShardPlan::make(tenInOrder(4)).value();
    const SampleHistoryEntry twice = sampleHistoryEntry(plan, 7, 0);
    CHECK(twice.epoch == 7);
    CHECK(twice.steps == 2);
    REQUIRE(twice.uses.size() == 2);
    CHECK(twice.uses[0].batchMates == std::vector<std::uint32_t>{4});
    CHECK(twice.uses[1].place.rank == 2);
    CHECK(twice.uses[1].batchMates.empty());  // the last step has one sample per rank
    CHECK(sampleHistoryEntry(plan, 0, 4).uses[0].batchMates == std::vector<std::uint32_t>{0});
    CHECK(sampleHistoryEntry(plan, 0, 4, 0).uses[0].batchMates.empty());
}

TEST_CASE("the batch of a shorter rank contains only its own samples") {
    ShardSpec spec = tenInOrder(4);
    spec.kind = SamplerKind::kUnpadded;  // 0 4 8 | 1 5 9 | 2 6 | 3 7
    spec.batchSize = 3;
    const ShardPlan plan = ShardPlan::make(spec).value();
    CHECK(sampleHistoryEntry(plan, 0, 7).uses[0].batchMates == std::vector<std::uint32_t>{3});
    CHECK(sampleHistoryEntry(plan, 0, 4).uses[0].batchMates == std::vector<std::uint32_t>{0, 8});
}

TEST_CASE("epochs are appended in order, and epochs with the same settings share a plan") {
    int made = 0;
    const SampleHistorySource source{[](std::int64_t) { return tenInOrder(4); },
                                     [&](const ShardSpec& spec) {
                                         ++made;
                                         return ShardPlan::make(spec);
                                     }};
    std::vector<SampleHistoryEntry> entries;
    CHECK_FALSE(appendEpochs(source, 5, 0, 3, 10, entries));
    REQUIRE(entries.size() == 3);
    CHECK(entries[2].epoch == 2);
    CHECK(made == 1);

    const SampleHistorySource broken{[](std::int64_t) { return ShardSpec{.datasetSize = 10, .worldSize = 0}; },
                                     [](const ShardSpec& spec) { return ShardPlan::make(spec); }};
    CHECK(appendEpochs(broken, 5, 0, 3, 10, entries));
    CHECK(entries.size() == 3);
}
