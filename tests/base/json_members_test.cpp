// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_members.h"

#include "support/catch.h"

using namespace ringside;

namespace {

Json json(const char* text) {
    return parseJson(text, "text").value();
}

}  // namespace

TEST_CASE("a member of another type or outside 64 bits is empty") {
    const Json object = json(R"({"n":-7,"half":0.5,"huge":18446744073709551615,"text":"a","null":null})");
    CHECK(integerIn(object, "n") == -7);
    for (const char* key : {"half", "huge", "text", "null", "missing"}) CHECK_FALSE(integerIn(object, key));
    CHECK(realIn(object, "half") == 0.5);
    CHECK(realIn(object, "n") == -7.0);
    CHECK_FALSE(realIn(object, "text"));
    CHECK(stringIn(object, "text") == "a");
    CHECK(stringIn(object, "n").empty());
    CHECK(findMember(object, "null") != nullptr);
    CHECK(findMember(json("[1]"), "n") == nullptr);
    CHECK_FALSE(integerIn(json("7"), "n"));
}

TEST_CASE("an object is valid until a member is missing, of another type or out of bounds") {
    const Json whole = json(R"({"text":"abcd","n":5,"flag":true,"list":[1,2]})");
    JsonObject good(whole);
    CHECK(good.text("text", 4) == "abcd");
    CHECK(good.number("n", 5, 5) == 5);
    CHECK(good.intNumber("n", 0, 9) == 5);
    CHECK(good.flag("flag"));
    REQUIRE(good.array("list", 2) != nullptr);
    CHECK(good.array("list", 2)->size() == 2);
    CHECK(good.isValid());
    const auto isBad = [&](const auto& read) {
        JsonObject object(whole);
        read(object);
        return !object.isValid() && object.text("text", 4).empty() && object.number("n", 3, 9) == 3;
    };
    CHECK(isBad([](JsonObject& o) { o.text("text", 3); }));
    CHECK(isBad([](JsonObject& o) { o.text("n", 9); }));
    CHECK(isBad([](JsonObject& o) { o.number("n", 6, 9); }));
    CHECK(isBad([](JsonObject& o) { o.number("n", 0, 4); }));
    CHECK(isBad([](JsonObject& o) { o.number("missing", 0, 4); }));
    CHECK(isBad([](JsonObject& o) { o.flag("n"); }));
    CHECK(isBad([](JsonObject& o) { o.array("list", 1); }));
    CHECK(isBad([](JsonObject& o) { o.array("text", 9); }));
    CHECK_FALSE(JsonObject(json("[]")).isValid());
}

TEST_CASE("bytes that are not UTF-8 are replaced in a text") {
    CHECK(jsonText(Json{{"a", "\xff"}}) == "{\"a\":\"\xef\xbf\xbd\"}");
    CHECK(jsonText(json(R"({"a":[1]})"), 1) == "{\n \"a\": [\n  1\n ]\n}");
}
