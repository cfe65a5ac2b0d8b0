// SPDX-License-Identifier: Apache-2.0
#include "base/time/clock_comparison.h"

#include <cmath>
#include <cstdlib>
#include <random>

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kSecond = 1'000'000;

// Clock of another host, and the network to that host.
struct Elsewhere {
    std::int64_t offsetUs = 0;  // what the other clock shows when the clock of this host shows 0
    double drift = 0;

    std::int64_t offsetAt(std::int64_t nowUs) const {
        return offsetUs + std::llround(drift * static_cast<double>(nowUs));
    }
    ClockReading read(std::int64_t nowUs, std::int64_t thereIn, std::int64_t backIn) const {
        const std::int64_t there = nowUs + thereIn;
        return {nowUs, there + offsetAt(there), there + backIn};
    }
};

}  // namespace

TEST_CASE("one answer gives the clock offset to half its round trip, less exactly as it ages") {
    ClockComparison clocks;
    CHECK_FALSE(clocks.at(0));
    clocks.add({1000, 501060, 1120});
    const auto now = clocks.at(1060);
    REQUIRE(now);
    CHECK(now->offsetUs == 500000);
    CHECK(now->errorUs == 60);
    CHECK(now->roundTripUs == 120);
    CHECK(now->drift == 0);
    // Clocks of two hosts drift apart by at most 100 us per second: 10 s add 1,000 us to the error.
    CHECK(clocks.at(1060 + 10 * kSecond)->errorUs == 1060);
    CHECK(clocks.at(1060 + 10 * kSecond)->offsetUs == 500000);
}

TEST_CASE("the offset comes from the answer with the shortest round trip, not from the latest") {
    const Elsewhere other{5000};
    ClockComparison clocks;
    clocks.add(other.read(0, 300, 100));  // this answer alone gives an offset of 5100
    CHECK(clocks.at(400)->offsetUs == 5100);
    // Half of the round trip of 400 us, plus the drift during the age of the answer, rounded up to 1 us.
    CHECK(clocks.at(400)->errorUs == 201);
    clocks.add(other.read(kSecond, 20, 20));
    clocks.add(other.read(2 * kSecond, 900, 100));  // this answer alone gives an offset of 5400
    const auto now = clocks.at(2 * kSecond + 1000);
    CHECK(now->offsetUs == 5000);
    CHECK(now->errorUs == 20 + 101);  // half of the round trip, plus the drift of 100 us/s during the age of 1.00098 s
    CHECK(now->roundTripUs == 40);
}

TEST_CASE("the offset of a drifting clock is extrapolated between two queries") {
    const Elsewhere other{1000, 40e-6};
    ClockComparison clocks;
    for (std::int64_t second = 0; second <= 60; second += 5) clocks.add(other.read(second * kSecond, 100, 100));
    const auto now = clocks.at(64 * kSecond);
    CHECK(std::abs(now->drift - 40e-6) < 0.1e-6);
    CHECK(std::abs(now->offsetUs - 3560) <= 1);  // 1000 + 64 s x 40 us
    // 100 us of the last answer, plus a drift error of (100 + 100) us / 35 s over 4 s; 35 s lie between the two answers
    // of the drift.
    CHECK(now->errorUs == 100 + 23);
}

TEST_CASE("only the answers of the last two minutes count") {
    ClockComparison clocks;
    clocks.add(Elsewhere{0}.read(0, 10, 10));
    for (std::int64_t second = 5; second <= 130; second += 5) clocks.add(Elsewhere{0}.read(second * kSecond, 500, 500));
    CHECK(clocks.at(130 * kSecond)->roundTripUs == 1000);
}

TEST_CASE("the new offset of a resumed host is used at once") {
    ClockComparison clocks;
    for (std::int64_t second = 0; second <= 60; second += 5) clocks.add(Elsewhere{7000}.read(second * kSecond, 50, 50));
    clocks.add(Elsewhere{7000 - 10 * kSecond}.read(65 * kSecond, 80, 80));
    const auto now = clocks.at(65 * kSecond + 80);
    CHECK(now->offsetUs == 7000 - 10 * kSecond);
    CHECK(now->errorUs == 80);
    CHECK(now->drift == 0);
}

TEST_CASE("impossible answers are ignored") {
    ClockComparison clocks;
    clocks.add({1000, 1, 999});
    clocks.add({0, 1, ClockComparison::kWindowUs + 1});
    CHECK_FALSE(clocks.at(2000));
}

TEST_CASE("the error is a bound for any network delay, and stays far below the delays") {
    std::mt19937_64 random(19);
    // Delay in a queue: 2 ms on average, drawn separately for each direction.
    std::exponential_distribution<double> queue(1.0 / 2000);
    const Elsewhere other{-123'456'789, -30e-6};
    ClockComparison clocks;
    std::int64_t worst = 0;
    for (std::int64_t second = 0; second < 1800; second += 5) {
        const auto delay = [&] { return 40 + static_cast<std::int64_t>(queue(random)); };
        clocks.add(other.read(second * kSecond, delay(), delay()));
        const std::int64_t now = (second + 4) * kSecond;
        const auto estimated = clocks.at(now);
        CHECK(std::abs(estimated->offsetUs - other.offsetAt(now)) <= estimated->errorUs);
        if (second > 120) worst = std::max(worst, estimated->errorUs);
    }
    CHECK(worst < 4000);
}
