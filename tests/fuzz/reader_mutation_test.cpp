// SPDX-License-Identifier: Apache-2.0
#include "base/json/json.h"
#include "data/png_file.h"
#include "mutator.h"
#include "reader_targets.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/places.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const std::vector<std::string> kWords = {std::string(4, '\0'),
                                         std::string(4, '\xff'),
                                         std::string("\x7f\xff\xff\xff", 4),
                                         std::string("\0\0\x08\x03", 4),
                                         std::string("\0\0\x0e\x08", 4),
                                         "\x93NUMPY",
                                         "'shape': (99999999999,)",
                                         "'descr': '<f8'",
                                         "True",
                                         "(",
                                         ",",
                                         "\x1f\x8b",
                                         "\xff\xd8\xff",
                                         "\xff\xda",
                                         "IHDR",
                                         "\n"};

void feed(const std::vector<std::string>& corpus, int rounds, void (*target)(std::string_view)) {
    fuzz::Mutator mutator(corpus, kWords, 4);
    for (const std::string& input : corpus) REQUIRE_NOTHROW(target(input));
    for (int i = 0; i < rounds; ++i) {
        const std::string input = mutator.next();
        INFO("round " << i);
        REQUIRE_NOTHROW(target(input));
    }
}

std::vector<std::string> arrays() {
    return {idxBytes({4, 2, 2}, std::string(16, 'x')), gzipPacked(idxBytes({2}, "ab")),
            bytes({0, 0, 14, 1}) + bigEndian32(2) + std::string(16, '\x3f'),
            npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", std::string(16, '\x3f')),
            npyFile("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }", std::string(24, '\1'))};
}

std::vector<std::string> images() {
    std::vector<std::string> all;
    const Json json = readJsonFile(sourceFile("tests/data/images_pillow_9_4.json")).value();
    for (const Json& image : json["images"]) {
        const std::string hex = image["content"];
        std::string& content = all.emplace_back();
        for (std::size_t i = 0; i < hex.size(); i += 2)
            content += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return all;
}

}  // namespace

TEST_CASE("damaged IDX and NumPy files are refused in one line, or read whole") {
    feed(arrays(), 20000, fuzz::array);
}

TEST_CASE("damaged CIFAR files are refused in one line, or read whole") {
    feed({std::string(3073 * 2, '\1'), std::string(3074 * 2, '\x20')}, 500, fuzz::cifar);
}

TEST_CASE("damaged images are refused in one line, or read whole") {
    feed(images(), 10000, fuzz::image);
}

TEST_CASE("damaged files of any kind have a preview or are refused in one line") {
    std::vector<std::string> corpus = arrays();
    corpus.push_back("a,b,y\n1,2,cat\n3,4,dog\n");
    corpus.push_back("6,148,0.5,1\n1,?,2,0\n");
    corpus.push_back("{\"version\": 1}");
    corpus.push_back(std::string(3073, '\1'));
    feed(corpus, 10000, fuzz::preview);
}
