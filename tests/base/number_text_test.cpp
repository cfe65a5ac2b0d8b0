// SPDX-License-Identifier: Apache-2.0
#include "base/text/number_text.h"

#include <limits>

#include "support/catch.h"

using namespace ringside;

TEST_CASE("rates have three significant digits, and large ones are whole numbers") {
    CHECK(rateNumber(0) == "0");
    CHECK(rateNumber(10 / 5.72) == "1.75");
    CHECK(rateNumber(2 / 34.2) == "0.0585");
    CHECK(rateNumber(99.94) == "99.9");
    CHECK(rateNumber(142065.4) == "142,065");
    CHECK(rateNumber(1e300 * 1e10) == "inf");
}

TEST_CASE("digits are grouped by thousands") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1281167) == "1,281,167");
    CHECK(grouped(-1000) == "-1,000");
    CHECK(grouped(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("a number has its noun in the singular or plural") {
    CHECK(counted(1, "rank") == "1 rank");
    CHECK(counted(0, "rank") == "0 ranks");
    CHECK(counted(1200, "micro-batch") == "1,200 micro-batches");
    CHECK(counted(2, "process") == "2 processes");
    CHECK(counted(1, "process") == "1 process");
    CHECK(counted(2, "epoch") == "2 epochs");
    CHECK(counted(2, "branch") == "2 branches");
}

TEST_CASE("a number has its shortest decimal form") {
    CHECK(plainNumber(5) == "5");
    CHECK(plainNumber(0.25) == "0.25");
    CHECK(plainNumber(1e300) == "1e+300");
}

TEST_CASE("a size has the unit that leaves a number below 1024") {
    CHECK(memoryText(0) == "0");
    CHECK(memoryText(1) == "1 B");
    CHECK(memoryText(1023) == "1023 B");
    CHECK(memoryText(1024) == "1.0 KiB");
    CHECK(memoryText(1536 * 1024) == "1.5 MiB");
    CHECK(memoryText(std::int64_t{3} << 40) == "3.0 TiB");
}
