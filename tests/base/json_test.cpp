// SPDX-License-Identifier: Apache-2.0
#include "base/json/json.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("a syntax error is reported with its line and column") {
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

TEST_CASE("a key that an object has twice is refused at every level, also when it is written with escapes") {
    CHECK(parseJson(R"({"a": 1, "b": {"c": 1, "d": 2, "c": 3}})", "x").problem().text() ==
          R"(x has the key "c" twice in one object: remove one of the two keys)");
    CHECK(parseJson(R"([{"a": 1, "\u0061": 1}])", "x").problem().message == R"(has the key "a" twice in one object)");
    CHECK(parseJson(R"({"": 1, "": 1})", "x").problem().message == R"(has the key "" twice in one object)");
    CHECK(parseJson(R"({"\u001b[2J": 1, "\u001b[2J": 1})", "x").problem().message ==
          R"(has the key "\u001b[2J" twice in one object)");
    CHECK(parseJson(R"({"a": {"a": {"a": 1}}, "A": [{"a": 1}, {"a": 2}]})", "x").ok());
}

TEST_CASE("a parsed tree equals the written one") {
    const std::string text = R"({"z":[1,-2,0.5,true,null,"x"],"a":{},"b":[[],{"c":18446744073709551615}]})";
    CHECK(parseJson(text, "x").value().dump() == text);
    for (const char* bad : {"{", "}", "[1,]", "{\"a\"}", "1 2", "[1}", "nul", "{1:2}", "\"", "[-]", "\xff"}) {
        INFO(bad);
        CHECK_FALSE(parseJson(bad, "x").ok());
    }
}

TEST_CASE("more values than the limit are refused") {
    CHECK(parseJson("[1,2,3]", "x", 100, 64, 4).ok());
    CHECK(parseJson("[1,2,3,[]]", "x", 100, 64, 4).problem().message == "holds more than 4 values");
    CHECK(parseJson(R"({"a":1,"b":2})", "x", 100, 64, 2).problem().message == "holds more than 2 values");
}
