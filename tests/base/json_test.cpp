// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("a syntax error is named with its line and column") {
    const auto result = parseJson("{\n  \"a\": 1,\n  \"b\": ]\n}", "my.json");
    REQUIRE_FALSE(result.ok());
    CHECK(result.problem().text().find("my.json is not valid JSON at line 3, column 8") == 0);
}

TEST_CASE("nesting deeper than the limit is refused before the parser recurses") {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const auto result = parseJson(deep, "deep.json");
    REQUIRE_FALSE(result.ok());
    CHECK(result.problem().message == "is nested deeper than 64 levels");
}

TEST_CASE("brackets inside strings do not count as nesting") {
    const auto result = parseJson("{\"a\": \"" + std::string(200, '[') + "\\\"[\"}", "x");
    REQUIRE(result.ok());
    CHECK(result.value()["a"].get<std::string>().size() == 202);
}

TEST_CASE("text over the byte limit is refused with both numbers") {
    const auto result = parseJson("[1,2,3]", "x", 6);
    REQUIRE_FALSE(result.ok());
    CHECK(result.problem().message == "has 7 bytes; the limit is 6");
}

TEST_CASE("empty text is an error, not a crash") {
    CHECK_FALSE(parseJson("", "x").ok());
}

TEST_CASE("a number beyond the range of double is a problem, not an exception") {
    const auto result = parseJson("[1e999]", "x");
    REQUIRE_FALSE(result.ok());
    CHECK(result.problem().message == "holds a number too large to represent");
}
