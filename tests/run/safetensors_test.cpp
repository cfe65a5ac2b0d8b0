// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint/safetensors.h"

#include <cstring>

#include "support/catch.h"

using namespace ringside;

namespace {

// A file with this header text and these values after it, right or wrong.
std::string fileWith(const std::string& header, const std::string& values) {
    const std::uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + values;
}

std::string problemOf(const std::string& content) {
    const Result<SafetensorsFile> file = SafetensorsFile::parse(content, "w.safetensors");
    REQUIRE_FALSE(file);
    CHECK(file.problem().text().find('\n') == std::string::npos);
    return file.problem().text();
}

}  // namespace

TEST_CASE("A safetensors file is its length, its header and its values") {
    // By hand from the format's description.
    const std::string content = encodeSafetensors(
        {{.name = "b", .shape = {1, 2}, .bytes = "ABCDEFGH"}, {.name = "a", .shape = {}, .bytes = "1234"}},
        {{"format", "pt"}});
    const std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                               R"("b":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]}})";
    const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
    CHECK(content == fileWith(padded, "1234ABCDEFGH"));

    const SafetensorsFile file = SafetensorsFile::parse(content, "w").value();
    REQUIRE(file.entries().size() == 2);
    CHECK(file.find("b")->shape == std::vector<std::int64_t>{1, 2});
    CHECK(std::memcmp(file.bytes(*file.find("b")).data(), "ABCDEFGH", 8) == 0);
    CHECK(std::memcmp(file.bytes(*file.find("a")).data(), "1234", 4) == 0);
    CHECK(file.find("c") == nullptr);
}

TEST_CASE("Wide types come first, so that values lie at multiples of their size") {
    const std::string content = encodeSafetensors(
        {{.name = "a", .shape = {1}, .bytes = "1234"}, {.name = "n", .type = "I64", .bytes = "12345678"}}, {});
    CHECK(SafetensorsFile::parse(content, "w").value().find("n")->begin % 8 == 0);
    CHECK(content.substr(content.size() - 12) == "123456781234");
}

TEST_CASE("A file without tensors is a file") {
    CHECK(SafetensorsFile::parse(encodeSafetensors({}, {}), "w").value().entries().empty());
}

TEST_CASE("Short, lying and damaged safetensors files are refused in one line") {
    const std::string a = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    CHECK(SafetensorsFile::parse(fileWith(a, "1234"), "w"));
    CHECK(problemOf("") ==
          "w.safetensors has 0 bytes, too few for a safetensors file: choose another checkpoint, or save it again");
    CHECK(problemOf(std::string(8, '\xff')).find("promises a header of 18446744073709551615 bytes, but only 0") !=
          std::string::npos);
    CHECK(problemOf(fileWith("[]", "")).find("no JSON object") != std::string::npos);
    CHECK(problemOf(fileWith("{", "")).find("no JSON object") != std::string::npos);
    CHECK(problemOf(fileWith(a, "123")).find(R"(has a tensor "a" whose type, shape and place)") != std::string::npos);
    CHECK(problemOf(fileWith(a, "12345")).find("belong to no tensor") != std::string::npos);
    const std::string twice =
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    CHECK(problemOf(fileWith(twice, "1234")).find("to no tensor or to two") != std::string::npos);
    for (const char* entry :
         {R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})",
          R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]})",
          R"({"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0]})",
          R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", R"({"dtype":"F32","shape":[1],"data_offsets":[0]})",
          R"({"dtype":"C128","shape":[1],"data_offsets":[0,4]})", R"({"shape":[1]})", "7"}) {
        INFO(entry);
        CHECK(problemOf(fileWith(std::string(R"({"a":)") + entry + "}", "1234")).find("\"a\"") != std::string::npos);
    }
}
