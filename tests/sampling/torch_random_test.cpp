// SPDX-License-Identifier: Apache-2.0
#include "sampling/random/torch_random.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "base/crypto/sha256.h"
#include "support/catch.h"
#include "support/goldens.h"

using namespace ringside;
using ringside::testing::bitsOf;
using ringside::testing::goldens;

namespace {

std::vector<float> draw(const Json& golden, void (*fill)(TorchGenerator&, const Json&, std::span<float>)) {
    TorchGenerator generator(golden["seed"].get<std::int64_t>());
    std::vector<float> values(golden["n"].get<std::size_t>());
    fill(generator, golden, values);
    return values;
}

std::vector<std::string> bits(const std::vector<float>& values) {
    std::vector<std::string> text;
    for (const float value : values) text.push_back(bitsOf(value));
    return text;
}

template <class T>
std::string sha256(const std::vector<T>& values) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(values)));
    return sum.hex();
}

}  // namespace

TEST_CASE("the Mersenne Twister gives the words of std::mt19937, singly or in blocks") {
    for (const std::uint32_t seed : {0U, 1U, 5489U, 0xffffffffU}) {
        std::mt19937 reference(seed);
        MersenneTwister twister(seed);
        for (int round = 0; round < 4; ++round) {
            for (int i = 0; i < 100; ++i) REQUIRE(twister.next() == reference());
            for (const std::uint32_t word : twister.next(1000)) REQUIRE(word == reference());
        }
    }
}

TEST_CASE("randperm gives PyTorch's permutations") {
    for (const Json& golden : goldens()["randperm"]) {
        CAPTURE(golden.dump());
        const auto order = TorchGenerator(golden["seed"].get<std::int64_t>()).randperm(golden["n"].get<std::int64_t>());
        CHECK(order == golden["out"].get<std::vector<std::uint32_t>>());
    }
    for (const Json& golden : goldens()["randperm_sha256_int64le"]) {
        CAPTURE(golden.dump());
        const auto order = TorchGenerator(golden["seed"].get<std::int64_t>()).randperm(golden["n"].get<std::int64_t>());
        CHECK(sha256(std::vector<std::int64_t>(order.begin(), order.end())) == golden["sha256"].get<std::string>());
    }
}

TEST_CASE("a long shuffle reports its progress and can be stopped") {
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> done{0};
    CHECK(TorchGenerator(7).randperm(100'000, {&stop, &done}) == TorchGenerator(7).randperm(100'000));
    CHECK(done == 100'000);
    stop = true;
    done = 0;
    std::vector<std::uint32_t> all(100'000);
    std::iota(all.begin(), all.end(), 0U);
    CHECK(TorchGenerator(7).randperm(100'000, {&stop, &done}) == all);
    CHECK(done == 0);
}

TEST_CASE("only the low 32 bits of a seed shape the stream, and negative seeds wrap") {
    CHECK(TorchGenerator(7).randperm(50) == TorchGenerator((std::int64_t{1} << 32) + 7).randperm(50));
    CHECK(TorchGenerator(-1).randperm(50) == TorchGenerator(std::uint64_t{0xffffffffU}).randperm(50));
}

TEST_CASE("uniform numbers have PyTorch's bits") {
    for (const Json& golden : goldens()["rand_f32"]) {
        const auto fill = [](TorchGenerator& g, const Json&, std::span<float> out) { g.uniform(out, 0, 1); };
        CHECK(bits(draw(golden, fill)) == golden["bits"].get<std::vector<std::string>>());
    }
    for (const Json& golden : goldens()["uniform_f32"]) {
        CAPTURE(golden.dump());
        const auto fill = [](TorchGenerator& g, const Json& j, std::span<float> out) {
            g.uniform(out, static_cast<float>(j["a"].get<double>()), static_cast<float>(j["b"].get<double>()));
        };
        CHECK(bits(draw(golden, fill)) == golden["bits"].get<std::vector<std::string>>());
    }
    for (const Json& golden : goldens()["rand_f64"]) {
        TorchGenerator generator(golden["seed"].get<std::int64_t>());
        for (const Json& expected : golden["bits"]) {
            char text[17];
            std::snprintf(text, sizeof text, "%016llx",
                          static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(generator.uniform53())));
            CHECK(text == expected.get<std::string>());
        }
    }
}

TEST_CASE("normal numbers have PyTorch's bits, whole blocks, rests and short tensors") {
    const auto fill = [](TorchGenerator& g, const Json&, std::span<float> out) { g.normal(out); };
    for (const Json& golden : goldens()["randn_f32"]) {
        CAPTURE(golden["seed"].dump(), golden["n"].dump());
        CHECK(bits(draw(golden, fill)) == golden["bits"].get<std::vector<std::string>>());
    }
    for (const Json& golden : goldens()["randn_f32_sha256"]) {
        CAPTURE(golden.dump());
        CHECK(sha256(draw(golden, fill)) == golden["sha256"].get<std::string>());
    }
}

TEST_CASE("random integers are PyTorch's") {
    for (const Json& golden : goldens()["randint"]) {
        CAPTURE(golden.dump());
        TorchGenerator generator(golden["seed"].get<std::int64_t>());
        for (const Json& expected : golden["out"]) {
            CHECK(generator.randint(golden["lo"].get<std::int64_t>(), golden["hi"].get<std::int64_t>()) ==
                  expected.get<std::int64_t>());
        }
    }
    for (const Json& golden : goldens()["random_int64"]) {
        CHECK(TorchGenerator(golden["seed"].get<std::int64_t>()).randomInt64() == golden["out"].get<std::int64_t>());
    }
}
