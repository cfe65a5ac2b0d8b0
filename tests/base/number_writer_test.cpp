// SPDX-License-Identifier: Apache-2.0
#include "base/text/number_writer.h"

#include <bit>
#include <cstdlib>
#include <limits>
#include <random>

#include "support/catch.h"

using namespace ringside;

namespace {

std::string written(double value) {
    return NumberWriter().number(value).take();
}

}  // namespace

TEST_CASE("doubles are written with the fewest digits") {
    CHECK(written(0) == "0");
    CHECK(written(-0.0) == "-0");
    CHECK(written(32) == "32");
    CHECK(written(-9999) == "-9999");
    CHECK(written(10000) == "10000");
    CHECK(written(100000) == "1e+05");
    CHECK(written(0.1) == "0.1");
    CHECK(written(2.5) == "2.5");
    CHECK(written(1e22) == "1e+22");
    CHECK(written(5e-324) == "5e-324");
    CHECK(written(std::numeric_limits<double>::infinity()) == "null");
    CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("every double that is written reads back to the same bits") {
    std::mt19937_64 random(5);
    for (int i = 0; i < 100000; ++i) {
        const auto value = std::bit_cast<double>(random());
        if (!(std::abs(value) <= std::numeric_limits<double>::max())) continue;
        const std::string text = written(value);
        INFO(text);
        REQUIRE(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)) ==
                std::bit_cast<std::uint64_t>(value));
    }
}

TEST_CASE("integers, characters and text of any length are appended in order") {
    NumberWriter out;
    std::string expected;
    for (std::int64_t i = -700; i < 700; ++i) {
        out.number(i).character(',');
        expected += std::to_string(i) + ",";
    }
    const std::string most(5000, 'x');
    out.text(most).number(std::numeric_limits<std::int64_t>::min()).text("").text("}");
    CHECK(out.take() == expected + most + "-9223372036854775808}");
    CHECK(out.take().empty());
}
