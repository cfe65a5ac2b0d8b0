// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/shard_plan.h"

#include "base/crypto/sha256.h"
#include "support/catch.h"
#include "support/goldens.h"

using namespace ringside;
using ringside::testing::goldens;

namespace {

using Indices = std::vector<std::int64_t>;

ShardSpec specOf(const Json& golden) {
    ShardSpec spec;
    spec.datasetSize = golden["n"];
    spec.worldSize = golden["world"];
    spec.epoch = golden["epoch"];
    spec.seed = golden["seed"];
    spec.shuffle = golden["shuffle"];
    spec.dropLast = golden["drop_last"];
    return spec;
}

ShardPlan planOf(const ShardSpec& spec) {
    return ShardPlan::make(spec).value();
}

// Ten samples on four ranks, the example in the README.
const ShardSpec kTenOnFour{.datasetSize = 10, .worldSize = 4, .batchSize = 2};

}  // namespace

TEST_CASE("every recorded DistributedSampler case is assigned equally") {
    for (const Json& golden : goldens()["distributed_sampler"]) {
        CAPTURE(golden.dump());
        const ShardPlan plan = planOf(specOf(golden));
        for (std::size_t rank = 0; rank < golden["ranks"].size(); ++rank) {
            CHECK(plan.indices(static_cast<int>(rank)) == golden["ranks"][rank].get<Indices>());
        }
    }
}

TEST_CASE("ten samples on four ranks repeat the head of the order") {
    const ShardPlan plan = planOf(kTenOnFour);
    CHECK(plan.samplesPerRank() == 3);
    CHECK(plan.totalSize() == 12);
    CHECK(plan.padding() == 2);
    CHECK(plan.dropped().empty());
    CHECK(plan.indices(2) == Indices{7, 0, 4});
    CHECK(plan.isPadded(2, 2));
    CHECK(plan.isPadded(3, 2));
    CHECK_FALSE(plan.isPadded(1, 2));

    // Sample 4 is the first of the order, so padding repeats it on rank 2.
    const std::vector<SampleSlot> uses = plan.usesOf(4);
    REQUIRE(uses.size() == 2);
    CHECK((uses[0].rank == 0 && uses[0].slot == 0 && uses[0].step == 0 && !uses[0].padded));
    CHECK((uses[1].rank == 2 && uses[1].slot == 2 && uses[1].step == 1 && uses[1].padded));
    CHECK(uses[1].position == 10);
}

TEST_CASE("with drop_last the tail of the order is dropped") {
    ShardSpec spec = kTenOnFour;
    spec.dropLast = true;
    const ShardPlan plan = planOf(spec);
    CHECK(plan.samplesPerRank() == 2);
    CHECK(plan.padding() == 0);
    // randperm(10) with seed 0 ends in 6 2.
    CHECK(std::vector<std::uint32_t>(plan.dropped().begin(), plan.dropped().end()) == std::vector<std::uint32_t>{6, 2});
    CHECK(plan.usesOf(6).empty());
}

TEST_CASE("the two kinds of drop_last act on different samples") {
    const ShardPlan kept = planOf({.datasetSize = 1437, .worldSize = 4, .batchSize = 32});
    CHECK(kept.samplesPerRank() == 360);
    CHECK(kept.padding() == 3);
    CHECK(kept.stepsPerEpoch() == 12);
    CHECK(kept.lastBatchSize() == 8);
    CHECK(kept.droppedByLoader() == 0);

    const ShardPlan cut = planOf({.datasetSize = 1437, .worldSize = 4, .batchSize = 32, .loaderDropLast = true});
    CHECK(cut.samplesPerRank() == 360);
    CHECK(cut.stepsPerEpoch() == 11);
    CHECK(cut.lastBatchSize() == 32);
    CHECK(cut.droppedByLoader() == 4 * 8);  // on all ranks together
    const std::int64_t left = cut.index(0, 359);
    CHECK(cut.usesOf(left).front().step == -1);
    CHECK((cut.batch(10).first == 320 && cut.batch(10).count == 32));
}

TEST_CASE("few samples on many ranks repeat the whole order, or leave empty shards with drop_last") {
    const ShardPlan plan = planOf({.datasetSize = 1, .worldSize = 4, .batchSize = 8});
    for (int rank = 0; rank < 4; ++rank) CHECK(plan.indices(rank) == Indices{0});
    CHECK(plan.usesOf(0).size() == 4);
    CHECK(plan.lastBatchSize() == 1);

    const ShardPlan empty = planOf({.datasetSize = 3, .worldSize = 4, .dropLast = true, .batchSize = 8});
    CHECK(empty.samplesPerRank() == 0);
    CHECK(empty.stepsPerEpoch() == 0);
    CHECK(empty.lastBatchSize() == 0);
    CHECK(empty.dropped().size() == 3);
    CHECK(planOf({.datasetSize = 0, .worldSize = 4}).totalSize() == 0);
}

TEST_CASE("every sample's uses are the slots that hold it") {
    for (const ShardSpec& spec : {ShardSpec{.datasetSize = 101, .worldSize = 8, .epoch = 3, .batchSize = 4},
                                  ShardSpec{.datasetSize = 3, .worldSize = 11, .batchSize = 2},
                                  ShardSpec{.datasetSize = 50, .worldSize = 7, .dropLast = true, .batchSize = 3}}) {
        const ShardPlan plan = planOf(spec);
        std::int64_t seen = 0;
        for (std::int64_t sample = 0; sample < spec.datasetSize; ++sample) {
            for (const SampleSlot& place : plan.usesOf(sample)) {
                ++seen;
                CHECK(plan.index(place.rank, place.slot) == sample);
                CHECK(plan.position(place.rank, place.slot) == place.position);
                CHECK(plan.isPadded(place.rank, place.slot) == place.padded);
                CHECK(place.step == place.slot / spec.batchSize);
            }
        }
        CHECK(seen == plan.totalSize());
    }
}

TEST_CASE("only the sum of seed and epoch matters, over the whole range of seeds") {
    const auto order = [](std::int64_t seed, std::int64_t epoch) {
        return planOf({.datasetSize = 40, .worldSize = 3, .epoch = epoch, .seed = seed}).indices(0);
    };
    CHECK(order(0, 5) == order(5, 0));
    CHECK(order(-1, 1) == order(0, 0));
    CHECK(order(-3, 0) == order((std::int64_t{1} << 32) - 3, 0));
    CHECK(order(INT64_MAX, INT64_MAX) == order(-2, 0));
}

TEST_CASE("hashes of several ranks computed together equal the hashes of each rank's indices") {
    for (const SamplerKind kind : {SamplerKind::kDistributed, SamplerKind::kUnpadded, SamplerKind::kContiguous}) {
        const ShardPlan plan = planOf({.datasetSize = 1003, .worldSize = 5, .kind = kind});
        const std::vector<std::string> together = plan.hashes(1, 4);
        REQUIRE(together.size() == 4);
        for (int rank = 1; rank < 5; ++rank) {
            Sha256 sum;
            sum.add(std::as_bytes(std::span<const std::int64_t>(plan.indices(rank))));
            CHECK(together[static_cast<std::size_t>(rank - 1)] == sum.hex());
        }
    }
}

TEST_CASE("a rank's hash is the SHA-256 of its indices as little-endian int64") {
    // One rank without padding has randperm(60000) itself, whose hash is recorded.
    CHECK(planOf({.datasetSize = 60000, .worldSize = 1}).hash(0) ==
          "4c226c41bdd65c9e11fe47eba8358cefb5c375b9699b1c912586a2125168af52");
    // sha256 of no bytes.
    CHECK(planOf({.datasetSize = 0}).hash(0) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a cancelled plan is not completed, and a cancelled index is built later") {
    const std::atomic<bool> stop = true;
    for (const SamplerKind kind : {SamplerKind::kDistributed, SamplerKind::kRandom, SamplerKind::kSubset}) {
        const auto refused = ShardPlan::make({.datasetSize = 100, .worldSize = 4, .kind = kind}, &stop);
        REQUIRE_FALSE(refused.ok());
        CHECK(refused.problem().text() ==
              "the plan was not completed because it was cancelled: compute the plan again");
    }
    const ShardPlan plan = planOf(kTenOnFour);
    plan.prepareToFind(&stop);
    CHECK(plan.usesOf(4).size() == 2);
    CHECK(plan.usesOf(9).size() == 1);
}

TEST_CASE("sizes out of range are refused with their limit") {
    const auto refusal = [](const ShardSpec& spec) { return ShardPlan::make(spec).problem().text(); };
    CHECK(refusal({.datasetSize = 10, .worldSize = 0}) ==
          "world size is 0; the minimum is 1: choose a value from 1 to 4096");
    CHECK(refusal({.datasetSize = 10, .worldSize = 1000000000}) ==
          "world size is 1000000000; the maximum is 4096: choose a value from 1 to 4096");
    CHECK(refusal({.datasetSize = 2147483648}) ==
          "dataset size is 2147483648; the maximum is 2147483647: choose a value from 0 to 2147483647");
    CHECK_FALSE(ShardPlan::make({.datasetSize = -1}).ok());
    CHECK_FALSE(ShardPlan::make({.datasetSize = 10, .epoch = -1}).ok());
    CHECK_FALSE(ShardPlan::make({.datasetSize = 10, .batchSize = 0}).ok());
}

TEST_CASE("each size is accepted at its limits and refused beyond them") {
    const auto check = [](const std::string& field, std::int64_t least, std::int64_t most, auto set) {
        const auto made = [&set](std::int64_t value) {
            ShardSpec spec{.datasetSize = 8, .worldSize = 2};
            set(spec, value);
            return ShardPlan::make(spec);
        };
        CAPTURE(field);
        CHECK(made(least).ok());
        CHECK(made(least - 1).problem().message ==
              "is " + std::to_string(least - 1) + "; the minimum is " + std::to_string(least));
        if (most == INT64_MAX) return;
        CHECK(made(most + 1).problem().text() == field + " is " + std::to_string(most + 1) + "; the maximum is " +
                                                     std::to_string(most) + ": choose a value from " +
                                                     std::to_string(least) + " to " + std::to_string(most));
    };
    check("dataset size", 0, 2147483647, [](ShardSpec& spec, std::int64_t value) { spec.datasetSize = value; });
    check("world size", 1, 4096, [](ShardSpec& spec, std::int64_t value) { spec.worldSize = value; });
    check("batch size", 1, INT64_MAX, [](ShardSpec& spec, std::int64_t value) { spec.batchSize = value; });
    check("epoch", 0, INT64_MAX, [](ShardSpec& spec, std::int64_t value) { spec.epoch = value; });
    check("sampler.num_samples", 0, 2147483647, [](ShardSpec& spec, std::int64_t value) { spec.numSamples = value; });
    check("pitfalls.wrong_world_size", 0, 4096,
          [](ShardSpec& spec, std::int64_t value) { spec.pitfalls.wrongWorldSize = value; });
    check("pitfalls.wrong_rank", -1, 4095,
          [](ShardSpec& spec, std::int64_t value) { spec.pitfalls.wrongRank = value; });
    CHECK(ShardPlan::make({.datasetSize = 8, .worldSize = 4096}).ok());
    CHECK(ShardPlan::make({.datasetSize = 8, .worldSize = 2, .pitfalls = {.wrongWorldSize = 4096}}).ok());
}

TEST_CASE("settings of samplers are refused beyond their limits") {
    ShardSpec spec{.datasetSize = 8, .worldSize = 2, .kind = SamplerKind::kSubset};
    for (const double refused : {0.0, -0.5, 1.01}) {
        spec.subsetFraction = refused;
        CHECK_THAT(ShardPlan::make(spec).problem().text(), containing("it must be above 0 and at most 1"));
    }
    spec.subsetFraction = 1;
    CHECK(ShardPlan::make(spec).value().samplesPerRank() == 4);
    spec.subsetFraction = 0.01;  // 0.01 of the samples rounds to 0, but a subset has at least one sample
    CHECK(ShardPlan::make(spec).value().samplesPerRank() == 1);
    CHECK(ShardPlan::make(spec).value().order().size() == 1);
    spec.classWeights = {0, 1};
    CHECK(ShardPlan::make(spec).ok());
    spec.classWeights = {1, -1};
    CHECK(ShardPlan::make(spec).problem().message == "contains the weight -1; the minimum is 0");
    ShardSpec batches{.datasetSize = 8, .worldSize = 2, .batchSize = 1073741824, .kind = SamplerKind::kBatchSharded};
    CHECK(ShardPlan::make(batches).problem().text() ==
          "batch size is 1073741824; this sampler fills a batch on each of 2 ranks, and all these batches together "
          "may have at most 2147483647 samples: use a batch size of at most 1073741823");
    batches.batchSize = 1073741823;
    CHECK(ShardPlan::make(batches).ok());
}

TEST_CASE("separate orders for all ranks have a limit on their total size") {
    const PitfallsConfig seeds{.seedPerRank = true};
    CHECK(ShardPlan::make({.datasetSize = 262145, .worldSize = 4096, .pitfalls = seeds}).problem().text() ==
          "pitfalls give each of 4096 ranks its own order of 262145 samples; all orders together may have at most "
          "1073741824 samples: use fewer samples or ranks");
    CHECK(ShardPlan::make({.datasetSize = 1000, .worldSize = 4096, .pitfalls = seeds}).ok());
}

TEST_CASE("a sample that does not exist has no uses") {
    const ShardPlan plan = ShardPlan::make({.datasetSize = 8, .worldSize = 2}).value();
    CHECK((plan.usesOf(-1).empty() && plan.usesOf(8).empty()));
    CHECK((plan.usesOf(0).size() == 1 && plan.usesOf(7).size() == 1));
}
