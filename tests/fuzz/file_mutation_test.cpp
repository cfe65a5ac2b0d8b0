// SPDX-License-Identifier: Apache-2.0
#include "config/run_config.h"
#include "fuzz_targets.h"
#include "mutator.h"
#include "run/checkpoint/safetensors.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/stored_tensors.h"

using namespace ringside;

namespace {

constexpr int kRounds = 20000;

void feed(fuzz::Mutator mutator, void (*target)(std::string_view)) {
    for (int i = 0; i < kRounds; ++i) {
        const std::string input = mutator.next();
        INFO("round " << i);
        REQUIRE_NOTHROW(target(input));
    }
}

}  // namespace

TEST_CASE("damaged experiment files are refused in one line, or read completely") {
    RunConfig other;
    other.name = "\xc3\xa4 \\ \"";
    other.dataset.kind = DatasetKind::kCsv;
    other.model.hidden = {1, 2, 3};
    const std::vector<std::string> corpus = {RunConfig().toText(2), other.toText(), "{}",
                                             R"({"version": 1, "parallel": {"world_size": 2}})",
                                             R"({"loader": {"num_workers": 0}, "training": {"precision": "fp32"}})"};
    const std::vector<std::string> words = {"null",
                                            "true",
                                            "[]",
                                            "{}",
                                            "[[[[",
                                            "1e999",
                                            "-1e999",
                                            "1e-999",
                                            "18446744073709551616",
                                            "-9223372036854775809",
                                            "0.1",
                                            "\"\"",
                                            "\"\\u0000\"",
                                            "\\ud800",
                                            "\xff",
                                            "\n",
                                            ",",
                                            ":",
                                            "\"kind\"",
                                            "\"world_size\": 1e3",
                                            std::string(100, '['),
                                            std::string("\0", 1),
                                            "\"a\\nb\": 1, ",
                                            "\"loader\": 3, "};
    feed(fuzz::Mutator(corpus, words, 1), fuzz::config);
    for (const std::string& word : words) REQUIRE_NOTHROW(fuzz::config(word));
}

TEST_CASE("damaged JSON is refused in one line, or read as it is written") {
    const std::vector<std::string> corpus = {R"({"a":1,"b":{"a":[1,2,{"c":null}]},"":true})",
                                             "[[[[[1.5e3,-0,\"x\"]]]]]",
                                             R"({"k1":[],"k2":{},"k3":"\u00e4\ud83d\ude42","k4":1e308})", "7"};
    const std::vector<std::string> words = {R"("a":1,)",
                                            R"(,"b":2)",
                                            R"("\u0061":3,)",
                                            "[[[[[[[[[[[[[[[[[[[[[",
                                            "{}",
                                            "[]",
                                            "1e999",
                                            "18446744073709551616",
                                            "\\ud800",
                                            "\xff",
                                            "\x1b[2J",
                                            "\"",
                                            ":",
                                            std::string(3000, '7')};
    feed(fuzz::Mutator(corpus, words, 5), fuzz::json);
}

TEST_CASE("no text writes control characters to a terminal") {
    const std::vector<std::string> corpus = {"plain", "\xc3\xa4\xe6\xbc\xa2\xf0\x9f\x99\x82", "\x1b]0;t\a\x1b[31m",
                                             "\xc2\x9b"
                                             "2J\xe2\x80\xae"};
    const std::vector<std::string> words = {"\x1b",         "\x9b", "\xc2", "\xe2\x80",           "\xf4\x90",
                                            "\xed\xa0\x80", "\r",   "\n",   std::string(1, '\0'), "\xff",
                                            "\\x1b"};
    feed(fuzz::Mutator(corpus, words, 6), fuzz::terminal);
}

TEST_CASE("damaged CSV files are refused in one line, or read completely") {
    const std::vector<std::string> corpus = {"a,b,y\n1,2,cat\n3,4,dog\n", "6,148,72,35,0\n1,85,66,29,1\n8,183,64,0,0\n",
                                             "x;y\r\n\"1\";\"a \"\"b\"\"\"\r\n2;c\r\n", "1\t2.5\n3\t4.5\n"};
    const std::vector<std::string> words = {"nan",
                                            "inf",
                                            "-",
                                            "1e39",
                                            "1e-400",
                                            "\"",
                                            "\"\"",
                                            ",",
                                            ",,",
                                            "\r",
                                            "\n",
                                            "\r\n",
                                            "\xef\xbb\xbf",
                                            "\xff",
                                            ";",
                                            "\t",
                                            " ",
                                            std::string("\0", 1),
                                            "0x1p3",
                                            "99999999999999999999",
                                            std::string(70000, '1'),
                                            "+1",
                                            "+-1"};
    feed(fuzz::Mutator(corpus, words, 2), fuzz::csv);
}

TEST_CASE("damaged gzip files are refused in one line, or read completely") {
    using ringside::testing::gzipPacked;
    const std::vector<std::string> corpus = {gzipPacked("1,2\n3,4\n"), gzipPacked(std::string(5000, 'a')),
                                             gzipPacked("") + gzipPacked("x"), gzipPacked(std::string(1U << 17, 'b'))};
    const std::vector<std::string> words = {"\x1f\x8b", std::string(8, '\0'), std::string(8, '\xff'), "\x08"};
    feed(fuzz::Mutator(corpus, words, 3), fuzz::gzip);
}

TEST_CASE("damaged safetensors files are refused in one line, or read completely") {
    const std::vector<std::string> corpus = {
        encodeSafetensors({{.name = "0.weight", .shape = {2, 3}, .bytes = std::string(24, 'w')},
                           {.name = "0.bias", .shape = {3}, .bytes = std::string(12, 'b')}},
                          {{"format", "pt"}}),
        encodeSafetensors({{.name = "steps", .type = "I64", .bytes = "12345678"}}, {}), encodeSafetensors({}, {})};
    const std::vector<std::string> words = {"F32",
                                            "I64",
                                            "BOOL",
                                            "[]",
                                            "[0]",
                                            "-1",
                                            "18446744073709551615",
                                            "9223372036854775807",
                                            "1e3",
                                            "\"shape\":",
                                            "\"data_offsets\":[0,0]",
                                            "\"__metadata__\":",
                                            R"("0.bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)",
                                            "{}",
                                            ",",
                                            std::string(8, '\0'),
                                            std::string(8, '\xff'),
                                            "\n",
                                            std::string(200, '[')};
    feed(fuzz::Mutator(corpus, words, 4), fuzz::safetensors);
}
