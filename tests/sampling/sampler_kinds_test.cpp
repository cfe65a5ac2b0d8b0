// SPDX-License-Identifier: Apache-2.0
#include "config/sampler_kind.h"

#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/shard_plan.h"
#include "support/catch.h"
#include "support/labelled_set.h"

using namespace ringside;
using ringside::testing::labelledSet;

namespace {

using Indices = std::vector<std::int64_t>;

ShardPlan planFrom(const ShardSpec& spec) {
    return ShardPlan::make(spec).value();
}

// Returns a spec of ten samples in the order of the file on four ranks, in batches of two.
ShardSpec inOrder(SamplerKind kind) {
    return {.datasetSize = 10, .worldSize = 4, .shuffle = false, .batchSize = 2, .kind = kind};
}

// Returns a spec with the classes 0 0 0 0 0 0 1 1 2, and a class 3 without samples.
ShardSpec withClasses(SamplerKind kind) {
    return {.datasetSize = 9,
            .worldSize = 2,
            .shuffle = false,
            .batchSize = 3,
            .kind = kind,
            .data = labelledSet({0, 0, 0, 0, 0, 0, 1, 1, 2}, 4)};
}

}  // namespace

TEST_CASE("whole batches are assigned to the ranks in turn, and the first ones fill the last round") {
    const ShardPlan plan = planFrom(inOrder(SamplerKind::kBatchSharded));
    CHECK(plan.indices(0) == Indices{0, 1, 8, 9});
    CHECK(plan.indices(1) == Indices{2, 3, 0, 1});
    CHECK(plan.indices(3) == Indices{6, 7, 4, 5});
    CHECK(plan.padding() == 6);
    CHECK(shardSentence(plan.spec()) ==
          "ceil(10 / (4 x 2)) = 2 batches for each rank; 6 are repeated so that all ranks get 4.");
    ShardSpec cut = inOrder(SamplerKind::kBatchSharded);
    cut.dropLast = true;
    CHECK(planFrom(cut).indices(3) == Indices{6, 7});
    CHECK(planFrom(cut).dropped().size() == 2);
}

TEST_CASE("contiguous blocks follow each other, and the last one is filled up from the head") {
    const ShardPlan plan = planFrom(inOrder(SamplerKind::kContiguous));
    CHECK(plan.indices(0) == Indices{0, 1, 2});
    CHECK(plan.indices(3) == Indices{9, 0, 1});
    CHECK_FALSE(plan.isPadded(3, 0));
    CHECK(plan.isPadded(3, 1));
}

TEST_CASE("unpadded shards differ by one, and training refuses them") {
    const ShardPlan plan = planFrom(inOrder(SamplerKind::kUnpadded));
    CHECK(plan.indices(1) == Indices{1, 5, 9});
    CHECK(plan.indices(2) == Indices{2, 6});
    CHECK(plan.totalSize() == 10);
    CHECK(plan.padding() == 0);
    CHECK(plan.batch(1, 1).count == 1);
    CHECK(plan.batch(2, 1).count == 0);
    CHECK(shardSentence(plan.spec()) == "2 ranks get 3, 2 ranks get 2; none repeated, none dropped.");
    CHECK(planProblems(plan.spec()).front().text() ==
          "sampler.kind is unpadded, which is meant for evaluation: 10 samples over 4 ranks leave shards of 3 and 2, "
          "and in training the ranks with more samples would wait forever for a last gradient: choose distributed, "
          "which pads or drops, or a number of samples that 4 divides");
    ShardSpec even = inOrder(SamplerKind::kUnpadded);
    even.datasetSize = 8;
    CHECK(planProblems(even).empty());
}

TEST_CASE("without sharding every rank has everything") {
    for (const SamplerKind kind : {SamplerKind::kSequential, SamplerKind::kRandom}) {
        const ShardPlan plan = planFrom(inOrder(kind));
        CHECK(plan.samplesPerRank() == 10);
        CHECK(plan.indices(0) == plan.indices(3));
        CHECK(plan.usesOf(7).size() == 4);
    }
    CHECK(shardSentence(inOrder(SamplerKind::kSequential)) ==
          "Nothing is sharded: each of 4 ranks gets all 10 samples.");
}

TEST_CASE("class-balanced batches have every class equally often and repeat samples of small classes") {
    const ShardPlan plan = planFrom(withClasses(SamplerKind::kClassBalanced));
    // The classes take turns: 0 6 8 | 1 7 8 | 2 6 8, one batch each. The fourth batch is the first one again.
    CHECK(plan.indices(0) == Indices{0, 6, 8, 2, 6, 8});
    CHECK(plan.indices(1) == Indices{1, 7, 8, 0, 6, 8});
    CHECK(plan.usesOf(8).size() == 4);
    CHECK(plan.usesOf(5).empty());
}

TEST_CASE("a weight of 0 excludes a class, and weights without a class are refused") {
    ShardSpec spec = withClasses(SamplerKind::kDistributedWeighted);
    spec.classWeights = {0, 1, 0, 0};
    spec.numSamples = 100;
    const ShardPlan plan = planFrom(spec);
    for (int rank = 0; rank < 2; ++rank) {
        for (const std::int64_t sample : plan.indices(rank)) CHECK((sample == 6 || sample == 7));
    }
    CHECK(plan.usesOf(6).size() + plan.usesOf(7).size() == 100);
    spec.classWeights = {0, 0, 0, 1};
    CHECK(ShardPlan::make(spec).problem().field == "sampler.class_weights");
    spec.classWeights = {1, 1};
    CHECK(ShardPlan::make(spec).problem().text() ==
          "sampler.class_weights has 2 entries, but there are 4 classes: give one weight for each class, or leave the "
          "list of weights "
          "empty");
    spec.data = nullptr;
    CHECK(ShardPlan::make(spec).problem().text() ==
          "sampler.kind is distributed_weighted, which needs samples with classes: choose a data set with classes, or "
          "another sampler");
    CHECK(planProblems(spec).front().field == "sampler.kind");
}

TEST_CASE("only the samples of a subset are assigned, and they must exist in the data") {
    ShardSpec spec = inOrder(SamplerKind::kSubset);
    spec.subsetIndices = {9, 2, 5};
    const ShardPlan plan = planFrom(spec);
    CHECK(plan.samplesPerRank() == 1);
    CHECK(plan.indices(0) == Indices{9});
    CHECK(plan.indices(3) == Indices{9});
    CHECK(plan.usesOf(3).empty());
    spec.subsetIndices = {9, 10};
    CHECK(ShardPlan::make(spec).problem().field == "sampler.subset_indices");
    spec.subsetIndices = {9, 9};
    CHECK(ShardPlan::make(spec).problem().text() ==
          "sampler.subset_indices contains index 9 twice: list each sample at most once, with indices from 0 to one "
          "below the number of samples");
}

TEST_CASE("every listed position of a sample contains this sample, for every kind and mistake") {
    std::vector<ShardSpec> specs;
    for (std::size_t kind = 0; kind < samplerNames().size(); ++kind) {
        ShardSpec spec = withClasses(static_cast<SamplerKind>(kind));
        spec.shuffle = true;
        spec.worldSize = 4;
        specs.push_back(spec);
    }
    for (const PitfallsConfig& pitfalls :
         {PitfallsConfig{.seedPerRank = true}, PitfallsConfig{.doubleSharding = true}, PitfallsConfig{.wrongRank = 1},
          PitfallsConfig{.wrongWorldSize = 6}, PitfallsConfig{.wrongRank = 0, .wrongWorldSize = 1}}) {
        specs.push_back({.datasetSize = 37, .worldSize = 5, .batchSize = 4, .pitfalls = pitfalls});
    }
    for (const ShardSpec& spec : specs) {
        CAPTURE(samplerName(spec.kind), spec.pitfalls.wrongRank);
        const ShardPlan plan = planFrom(spec);
        std::int64_t found = 0, padded = 0;
        for (std::int64_t sample = 0; sample < spec.datasetSize; ++sample) {
            for (const SampleSlot& place : plan.usesOf(sample)) {
                CHECK(plan.index(place.rank, place.slot) == sample);
                ++found;
                padded += place.padded ? 1 : 0;
            }
        }
        CHECK(found == plan.totalSize());
        CHECK(padded == plan.padding());
    }
}

TEST_CASE("mistakes that PyTorch refuses are refused with its message") {
    const auto refusal = [](const PitfallsConfig& pitfalls, SamplerKind kind = SamplerKind::kDistributed) {
        return ShardPlan::make({.datasetSize = 10, .worldSize = 4, .kind = kind, .pitfalls = pitfalls})
            .problem()
            .text();
    };
    CHECK_THAT(refusal({.shuffleWithSampler = true}),
               containing("\"sampler option is mutually exclusive with shuffle\""));
    CHECK_THAT(refusal({.wrongRank = 4}), containing("\"Invalid rank 4, rank should be in the interval [0, 3]\""));
    CHECK_THAT(refusal({.wrongWorldSize = 2}), containing("\"Invalid rank 3, rank should be in the interval [0, 1]\""));
    CHECK_THAT(refusal({.seedPerRank = true}, SamplerKind::kSubset), containing("sampler.kind is subset"));
}
