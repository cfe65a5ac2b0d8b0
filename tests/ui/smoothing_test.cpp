// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/smoothing.h"

#include <cmath>
#include <limits>

#include "support/catch.h"

using namespace ringside;

TEST_CASE("the moving average is debiased and starts at the first value") {
    // w = 0.5: s = 0.5 * 4 = 2, / 0.5 = 4; s = 0.5 * 2 + 0.5 * 8 = 5, / 0.75 = 20/3; s = 2.5 + 0.5 = 3, / 0.875 = 24/7
    const std::vector<double> values{4, 8, 1};
    const std::vector<double> result = smoothed(values, 0.5);
    REQUIRE(result.size() == 3);
    CHECK(result[0] == Approx(4));
    CHECK(result[1] == Approx(20.0 / 3));
    CHECK(result[2] == Approx(24.0 / 7));
}

TEST_CASE("a constant is unchanged at any weight, and weight 0 changes nothing") {
    const std::vector<double> constant(200, 0.25);
    for (const double weight : {0.0, 0.6, 0.99}) {
        CHECK(smoothed(constant, weight).front() == Approx(0.25));
        CHECK(smoothed(constant, weight).back() == Approx(0.25));
    }
    const std::vector<double> values{1, 5, 2};
    CHECK(smoothed(values, 0) == values);
}

TEST_CASE("values that are not numbers pass through and are not averaged in") {
    const std::vector<double> values{4, std::numeric_limits<double>::quiet_NaN(), 8};
    const std::vector<double> result = smoothed(values, 0.5);
    CHECK(std::isnan(result[1]));
    CHECK(result[2] == Approx(20.0 / 3));
}
