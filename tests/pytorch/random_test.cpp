// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/sha256.h"
#include "data/sets/synthetic/synthetic_dataset.h"
#include "oracle.h"
#include "sampling/random/torch_random.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

template <class T>
std::string sha256(const std::vector<T>& values) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(values)));
    return sum.hex();
}

}  // namespace

TEST_CASE("randperm is PyTorch's for any size and seed") {
    Json queries = Json::array();
    for (const std::int64_t n : {0, 1, 2, 623, 624, 625, 626, 1249, 100000}) {
        for (const std::int64_t seed : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, std::int64_t{4294967296}}) {
            queries.push_back({{"ask", "randperm"}, {"n", n}, {"seed", seed}});
        }
    }
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        CAPTURE(queries[i].dump());
        const auto order =
            TorchGenerator(queries[i]["seed"].get<std::int64_t>()).randperm(queries[i]["n"].get<std::int64_t>());
        CHECK(sha256(std::vector<std::int64_t>(order.begin(), order.end())) == answers[i]);
    }
}

TEST_CASE("synthetic data sets have the bits of torch.randn") {
    Json queries = Json::array();
    // PyTorch draws fewer than 16 numbers with another algorithm, which can keep one number for the targets.
    for (const auto& [size, features, targets] : std::vector<std::array<int, 3>>{{2, 1, 1},
                                                                                 {3, 1, 1},
                                                                                 {3, 5, 3},
                                                                                 {4, 4, 4},
                                                                                 {5, 3, 7},
                                                                                 {7, 5, 1},
                                                                                 {100, 7, 3},
                                                                                 {2048, 20, 1},
                                                                                 {1024, 10, 10}}) {
        for (const int seed : {0, 42, -3}) {
            queries.push_back(
                {{"ask", "synthetic"}, {"size", size}, {"features", features}, {"targets", targets}, {"seed", seed}});
        }
    }
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const Json& q = queries[i];
        CAPTURE(q.dump());
        const SampleTable table =
            makeSynthetic({.size = q["size"], .features = q["features"], .targets = q["targets"], .seed = q["seed"]});
        CHECK(sha256(table.features) == answers[i][0]);
        CHECK(sha256(table.targets) == answers[i][1]);
    }
}

TEST_CASE("uniform_ and randint are PyTorch's") {
    Json queries = Json::array();
    for (const double bound : {0.125, 0.1, 0.35355339, 2.0}) {
        queries.push_back({{"ask", "uniform"}, {"n", 3001}, {"seed", 11}, {"low", -bound}, {"high", bound}});
    }
    queries.push_back({{"ask", "randint"}, {"n", 200}, {"seed", 5}, {"low", -5}, {"high", 10}});
    queries.push_back({{"ask", "randint"}, {"n", 200}, {"seed", 5}, {"low", 0}, {"high", 4294967296}});
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const Json& q = queries[i];
        CAPTURE(q.dump());
        TorchGenerator generator(q["seed"].get<std::int64_t>());
        if (q["ask"] == "uniform") {
            std::vector<float> values(q["n"].get<std::size_t>());
            generator.uniform(values, static_cast<float>(q["low"].get<double>()),
                              static_cast<float>(q["high"].get<double>()));
            CHECK(sha256(values) == answers[i]);
        } else {
            for (const Json& expected : answers[i]) {
                REQUIRE(generator.randint(q["low"].get<std::int64_t>(), q["high"].get<std::int64_t>()) ==
                        expected.get<std::int64_t>());
            }
        }
    }
}
