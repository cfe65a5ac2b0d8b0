// SPDX-License-Identifier: Apache-2.0
#include "data/readers/gzip.h"

#include "support/catch.h"
#include "support/gzip_packed.h"

using namespace ringside;
using ringside::testing::gzipPacked;

TEST_CASE("decompression restores the data, also from several members") {
    const std::string text(100000, 'x');
    CHECK(gunzip(gzipPacked(text), "a.gz", 1U << 20).value() == text);
    CHECK(gunzip(gzipPacked("ab") + gzipPacked("cd"), "a.gz", 100).value() == "abcd");
    CHECK(gunzip(gzipPacked(""), "a.gz", 100).value().empty());
}

TEST_CASE("a file that unpacks to more than the limit is refused") {
    CHECK(gunzip(gzipPacked(std::string(10U << 20, '0')), "bomb.gz", 1U << 20).problem().text() ==
          "bomb.gz unpacks to more than the limit of 1048576 bytes: use a smaller file");
}

TEST_CASE("damaged and truncated gzip files are refused") {
    const std::string packed = gzipPacked("0123456789 0123456789 0123456789");
    for (std::size_t length = 0; length < packed.size(); ++length) {
        CHECK_FALSE(gunzip(packed.substr(0, length), "cut.gz", 1000).ok());
    }
    std::string wrong = packed;
    wrong[wrong.size() - 5] = static_cast<char>(wrong[wrong.size() - 5] ^ 1);  // changes a byte of the checksum
    CHECK(gunzip(wrong, "wrong.gz", 1000).problem().text() ==
          "wrong.gz is a damaged or truncated gzip file: download the file again");
    CHECK_FALSE(gunzip("no gzip at all", "text.gz", 1000).ok());
}
