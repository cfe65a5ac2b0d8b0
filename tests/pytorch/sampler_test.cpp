// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "oracle.h"
#include "sampler_cases.h"
#include "sampling/plan/shard_plan.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Indices = std::vector<std::int64_t>;

std::vector<Indices> batchesOf(const ShardPlan& plan, int rank) {
    std::vector<Indices> batches;
    for (std::int64_t step = 0; step < plan.stepsPerEpoch(); ++step) {
        const SlotRange slots = plan.batch(step);
        Indices& batch = batches.emplace_back();
        for (std::int64_t i = 0; i < slots.count; ++i) batch.push_back(plan.index(rank, slots.first + i));
    }
    return batches;
}

void compare(const ShardSpec& spec, const Json& ranks) {
    CAPTURE(questionFor(spec).dump());
    const ShardPlan plan = ShardPlan::make(spec).value();
    REQUIRE(ranks.size() == static_cast<std::size_t>(spec.worldSize));
    for (int rank = 0; rank < spec.worldSize; ++rank) {
        const Json& answer = ranks[static_cast<std::size_t>(rank)];
        REQUIRE(plan.indices(rank) == answer["indices"].get<Indices>());
        REQUIRE(batchesOf(plan, rank) == answer["batches"].get<std::vector<Indices>>());
    }
}

}  // namespace

TEST_CASE("indices and batches of every rank are PyTorch's, over a grid of cases") {
    const std::vector<ShardSpec> specs = samplerCases();
    REQUIRE(specs.size() >= 600);
    Json queries = Json::array();
    for (const ShardSpec& spec : specs) queries.push_back(questionFor(spec));
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < specs.size(); ++i) compare(specs[i], answers[i]);
}

TEST_CASE("large data sets are assigned as by PyTorch, compared by hash") {
    const std::vector<ShardSpec> specs = {
        {.datasetSize = 60000, .worldSize = 8, .epoch = 9},
        {.datasetSize = 1281167, .worldSize = 64, .epoch = 3},
        {.datasetSize = 1281167, .worldSize = 63, .epoch = 1, .seed = -5, .dropLast = true},
        {.datasetSize = 100003, .worldSize = 4096, .epoch = 10000, .seed = 4294967295},
    };
    Json queries = Json::array();
    for (const ShardSpec& spec : specs) {
        Json query = questionFor(spec);
        query["ask"] = "distributed_hashes";
        query["ranks"] = Json::array({0, spec.worldSize / 2, spec.worldSize - 1});
        queries.push_back(query);
    }
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const ShardPlan plan = ShardPlan::make(specs[i]).value();
        for (std::size_t k = 0; k < 3; ++k) {
            INFO(queries[i].dump());
            CHECK(plan.hash(queries[i]["ranks"][k].get<int>()) == answers[i][k]);
        }
    }
}
