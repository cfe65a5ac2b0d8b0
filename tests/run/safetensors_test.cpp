// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint/safetensors.h"

#include <cstring>
#include <fstream>

#include "base/errors/errors.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "support/catch.h"
#include "support/sha256_of.h"
#include "support/stored_tensors.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

// Returns a safetensors file with this header text followed by these values. Both may be invalid.
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

// Returns a file with this number of tensors, none of which has a value.
std::string withEmptyTensors(int count) {
    std::string header = "{";
    for (int i = 0; i < count; ++i)
        header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    return fileWith(header + "}", "");
}

}  // namespace

TEST_CASE("a safetensors file is its length, its header and its values") {
    // The expected bytes were written by hand from the description of the format.
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
    CHECK(file.bytes(*file.find("b")) == "ABCDEFGH");
    CHECK(file.bytes(*file.find("a")) == "1234");
    CHECK(file.find("c") == nullptr);
}

TEST_CASE("wide types come first, so that values lie at multiples of their size") {
    const std::string content = encodeSafetensors(
        {{.name = "a", .shape = {1}, .bytes = "1234"}, {.name = "n", .type = "I64", .bytes = "12345678"}}, {});
    CHECK(SafetensorsFile::parse(content, "w").value().find("n")->begin % 8 == 0);
    CHECK(content.substr(content.size() - 12) == "123456781234");
}

TEST_CASE("a file without tensors is a file") {
    CHECK(SafetensorsFile::parse(encodeSafetensors({}, {}), "w").value().entries().empty());
}

TEST_CASE("short, wrong and damaged safetensors files are refused in one line") {
    const std::string a = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    CHECK(SafetensorsFile::parse(fileWith(a, "1234"), "w"));
    CHECK(problemOf("") ==
          "w.safetensors has 0 bytes, too few for a safetensors file: choose another checkpoint, or save it again");
    CHECK(problemOf(std::string(8, '\xff')).find("specifies a header of 18446744073709551615 bytes, but only 0") !=
          std::string::npos);
    CHECK(problemOf(fileWith("[]", "")).find("not a JSON object") != std::string::npos);
    CHECK(problemOf(fileWith("{", "")).find("not a JSON object") != std::string::npos);
    CHECK(problemOf(fileWith(a, "123")).find(R"(has a tensor "a" whose type, shape and offset)") != std::string::npos);
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

TEST_CASE("depth, size and dimensions of a header are limited") {
    CHECK(problemOf(fileWith(std::string(10'000'000, '['), "")).find("it is nested deeper than 3 levels") !=
          std::string::npos);
    CHECK(problemOf(fileWith(R"({"a":[[[0]]]})", "")).find("nested deeper than 3") != std::string::npos);
    CHECK(problemOf(fileWith(std::string(99'000'000, '['), "")) ==
          "w.safetensors has a header of 99000000 bytes; the maximum is 16777216: choose another checkpoint, or save "
          "it again");
    std::string ones = "1";
    for (int i = 0; i < 64; ++i) ones += ",1";
    CHECK(problemOf(fileWith(R"({"a":{"dtype":"U8","shape":[)" + ones + R"(],"data_offsets":[0,1]}})", "x"))
              .find("type, shape and offset") != std::string::npos);
}

TEST_CASE("a file may have 65,536 tensors and no more") {
    CHECK(SafetensorsFile::parse(withEmptyTensors(65536), "w").ok());
    CHECK(problemOf(withEmptyTensors(65537)).find("has 65537 tensors; the maximum is 65536") != std::string::npos);
}

// Each tensor has seven values: itself, its type, its shape with one number, and its offsets with two numbers.
TEST_CASE("the number of values in a header is limited") {
    CHECK(problemOf(withEmptyTensors(160'000)).find("holds more than 1048576 values") != std::string::npos);
}

TEST_CASE("a tensor that a header names twice is refused") {
    const std::string twice =
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
    CHECK(problemOf(fileWith(twice, "12345678")).find(R"(has the key "a" twice)") != std::string::npos);
}

TEST_CASE("only the requested part of a file is read, for any claimed size") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "sparse.safetensors";
    const std::string header = R"({"all":{"dtype":"U8","shape":[6442450944],"data_offsets":[0,6442450944]},)"
                               R"("one":{"dtype":"F32","shape":[1],"data_offsets":[6442450944,6442450948]}})";
    std::ofstream(path, std::ios::binary) << fileWith(header, "");
    std::filesystem::resize_file(path, 8 + header.size() + 6442450948U);
    const SafetensorsFile file = SafetensorsFile::open(path).value();
    CHECK(file.size() == 8 + header.size() + 6442450948U);
    CHECK(file.bytes(*file.find("one")) == std::string(4, '\0'));
    std::filesystem::resize_file(path, 100);
    CHECK_THROWS_WITH(file.bytes(*file.find("one")), containing("became shorter while it was read"));
}

TEST_CASE("a file and its bytes are read equally") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "w.safetensors";
    const std::string content = encodeSafetensors(
        {{.name = "a", .shape = {300'000}, .bytes = std::string(1'200'000, 'a')}, {.name = "b", .bytes = "1234"}}, {});
    std::ofstream(path, std::ios::binary) << content;
    const SafetensorsFile file = SafetensorsFile::open(path).value();
    CHECK(file.sha256() == sha256Of(content));
    CHECK(file.bytes(*file.find("a")) == std::string(1'200'000, 'a'));
    CHECK(file.bytes(*file.find("b")) == "1234");
    CHECK(SafetensorsFile::parse(content, "w").value().sha256() == sha256Of(content));
    CHECK_FALSE(SafetensorsFile::open(directory.path()));
    CHECK_FALSE(SafetensorsFile::open(directory.path() / "none"));
}
