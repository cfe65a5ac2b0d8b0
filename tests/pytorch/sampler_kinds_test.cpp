// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "oracle.h"
#include "sampling/plan/shard_plan.h"
#include "support/catch.h"
#include "support/labelled_set.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Indices = std::vector<std::int64_t>;

struct Case {
    std::string name;
    ShardSpec spec;
    Indices labels;
};

// Draws a spec: sizes below the world size, seeds at the limits of 32 bits and negative ones, and large epochs.
ShardSpec drawnSpec(std::mt19937& random) {
    constexpr std::int64_t kSizes[] = {1, 2, 3, 10, 17, 100, 257};
    constexpr std::int64_t kWorlds[] = {1, 2, 3, 4, 7, 16};
    constexpr std::int64_t kSeeds[] = {0, 1, 42, -1, -12345, 4294967294, 4294967295, 4294967303};
    constexpr std::int64_t kEpochs[] = {0, 1, 7, 9999, 10000};
    constexpr std::int64_t kBatches[] = {1, 2, 3, 8, 32};
    const auto pick = [&](const auto& values) { return values[random() % std::size(values)]; };
    return {.datasetSize = pick(kSizes),
            .worldSize = pick(kWorlds),
            .epoch = pick(kEpochs),
            .seed = pick(kSeeds),
            .shuffle = random() % 4 != 0,
            .dropLast = random() % 2 == 0,
            .batchSize = pick(kBatches)};
}

void addClasses(Case& c, std::mt19937& random) {
    for (std::int64_t i = 0; i < c.spec.datasetSize; ++i) c.labels.push_back(random() % 3 == 0 ? random() % 4 : 0);
    c.labels[0] = 1;
    c.spec.data = labelledSet(c.labels, 4);
    if (random() % 2 == 0) c.spec.classWeights = {1, 5, 0, 2};
    c.spec.numSamples = random() % 2 == 0 ? 0 : 40;
}

Case makeCase(const std::string& name, std::mt19937& random) {
    Case c{name, drawnSpec(random), {}};
    if (const auto kind = samplerNamed(name)) c.spec.kind = *kind;
    if (needsClasses(c.spec.kind)) addClasses(c, random);
    if (name == "subset" || name == "subset_random") c.spec.kind = SamplerKind::kSubset;
    if (c.spec.kind == SamplerKind::kSubset) {
        c.spec.subsetSeed = static_cast<std::int64_t>(random() % 100);
        if (c.spec.datasetSize > 10 && random() % 2 == 0) c.spec.subsetIndices = {9, 3, 7, 0, 10};
    }
    if (name == "subset_random") c.spec.worldSize = 1;
    if (name == "subset_random") c.spec.shuffle = true;
    c.spec.pitfalls.seedPerRank = name == "seed_per_rank";
    c.spec.pitfalls.doubleSharding = name == "double_sharding";
    if (name == "wrong_rank") c.spec.pitfalls.wrongRank = c.spec.worldSize / 2;
    if (name == "wrong_world_size") c.spec.pitfalls.wrongWorldSize = c.spec.worldSize + 3;
    return c;
}

Json questionOf(const Case& c) {
    const ShardSpec& s = c.spec;
    return {{"ask", "sampler_kind"},
            {"kind", c.name},
            {"n", s.datasetSize},
            {"world", s.worldSize},
            {"epoch", s.epoch},
            {"seed", s.seed},
            {"shuffle", s.shuffle},
            {"drop_last", s.dropLast},
            {"batch", s.batchSize},
            {"labels", c.labels},
            {"classes", 4},
            {"class_weights", s.classWeights},
            {"count", s.numSamples == 0 ? s.datasetSize : s.numSamples},
            {"subset", s.subsetIndices},
            {"subset_seed", s.subsetSeed},
            // Half of the data set, rounded away from zero.
            {"subset_size", std::max<std::int64_t>(1, (s.datasetSize + 1) / 2)},
            {"wrong_rank", s.pitfalls.wrongRank},
            {"wrong_world_size", s.pitfalls.wrongWorldSize}};
}

}  // namespace

TEST_CASE("every kind of sampler and every mistake assigns samples as PyTorch does") {
    std::mt19937 random(20240717);
    std::vector<Case> cases;
    for (const char* name :
         {"sequential", "random", "batch_sharded", "contiguous", "unpadded", "weighted", "distributed_weighted",
          "subset", "subset_random", "seed_per_rank", "double_sharding", "wrong_rank", "wrong_world_size"}) {
        for (int i = 0; i < 40; ++i) cases.push_back(makeCase(name, random));
    }
    Json queries = Json::array();
    for (const Case& c : cases) queries.push_back(questionOf(c));
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        CAPTURE(queries[i].dump());
        const ShardPlan plan = ShardPlan::make(cases[i].spec).value();
        for (int rank = 0; rank < cases[i].spec.worldSize; ++rank) {
            REQUIRE(plan.indices(rank) == answers[i][static_cast<std::size_t>(rank)].get<Indices>());
        }
    }
}
