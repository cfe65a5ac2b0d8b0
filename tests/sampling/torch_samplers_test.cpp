// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/torch_samplers.h"

#include <cmath>

#include "support/catch.h"
#include "support/goldens.h"

using namespace ringside;
using ringside::testing::goldens;

namespace {

using Indices = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("RandomSampler's indices are PyTorch's, with and without replacement") {
    for (const Json& golden : goldens()["random_sampler"]) {
        TorchGenerator generator(golden["seed"].get<std::int64_t>());
        CHECK(drawRandomSampler(generator, golden["n"], golden["num_samples"], golden["replacement"]) ==
              golden["out"].get<Indices>());
    }
}

TEST_CASE("WeightedRandomSampler's indices with replacement are PyTorch's") {
    int compared = 0;
    for (const Json& golden : goldens()["weighted"]) {
        if (!golden["replacement"].get<bool>()) continue;
        TorchGenerator generator(golden["seed"].get<std::int64_t>());
        const auto weights = golden["weights"].get<std::vector<double>>();
        CHECK(drawWeightedSampler(generator, weights, golden["num_samples"]).value() == golden["out"].get<Indices>());
        ++compared;
    }
    CHECK(compared >= 3);
}

TEST_CASE("weights that are not a distribution are refused") {
    TorchGenerator generator(0);
    const auto refusal = [&](const std::vector<double>& weights) {
        return drawWeightedSampler(generator, weights, 5).problem().text();
    };
    CHECK(refusal({1, -1}) == "weight 1 is -1.000000; it must be finite and not below 0: correct the weight");
    CHECK(refusal({1, std::nan("")}).find("weight 1 is nan") == 0);
    CHECK(refusal({0, 0}).find("weights add up to 0.000000") == 0);
    CHECK(refusal({}).find("weights add up to 0.000000") == 0);
    // A sample with weight 0 is never drawn.
    const Indices drawn = drawWeightedSampler(generator, std::vector<double>{0, 1, 0}, 50).value();
    CHECK(drawn == Indices(50, 1));
}
