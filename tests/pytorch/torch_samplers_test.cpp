// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/torch_samplers.h"

#include <random>

#include "oracle.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Indices = std::vector<std::int64_t>;

constexpr std::int64_t kSeeds[] = {0, 3, 42, -1, 4294967295};

TorchGenerator seeded(const Json& query) {
    return TorchGenerator(query["seed"].get<std::int64_t>());
}

}  // namespace

TEST_CASE("RandomSampler draws as PyTorch's, and leaves the generator where PyTorch leaves it") {
    Json queries = Json::array();
    for (const std::int64_t seed : kSeeds) {
        for (const auto& [n, count] : {std::pair(1, 1), std::pair(10, 10), std::pair(10, 25), std::pair(100, 33),
                                       std::pair(7, 21), std::pair(1000, 1000)}) {
            for (const bool replacement : {false, true}) {
                queries.push_back({{"ask", "random_sampler"},
                                   {"seed", seed},
                                   {"n", n},
                                   {"count", count},
                                   {"replacement", replacement}});
            }
        }
    }
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const Json& q = queries[i];
        CAPTURE(q.dump());
        TorchGenerator generator = seeded(q);
        REQUIRE(drawRandomSampler(generator, q["n"], q["count"], q["replacement"]) == answers[i][0].get<Indices>());
        REQUIRE(generator.randint(0, 1000000) == answers[i][1].get<std::int64_t>());
    }
}

TEST_CASE("WeightedRandomSampler draws as PyTorch's") {
    Json queries = Json::array();
    std::mt19937 random(5);
    for (const std::int64_t seed : kSeeds) {
        for (const std::size_t size : {1U, 2U, 10U, 257U}) {
            std::vector<double> weights(size);
            for (double& weight : weights) weight = random() % 4 == 0 ? 0 : static_cast<double>(random() % 1000) / 7;
            weights.front() = 0.1;
            queries.push_back({{"ask", "weighted_sampler"}, {"seed", seed}, {"weights", weights}, {"count", 200}});
        }
    }
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        CAPTURE(queries[i].dump());
        TorchGenerator weighted = seeded(queries[i]);
        const auto weights = queries[i]["weights"].get<std::vector<double>>();
        REQUIRE(drawWeightedSampler(weighted, weights, 200).value() == answers[i].get<Indices>());
    }
}
