// SPDX-License-Identifier: Apache-2.0
#include "data/readers/text_file.h"

#include "data/raw_file.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a text file is read completely, plain or compressed, up to its limit") {
    const TemporaryDirectory directory;
    const std::string text(200000, 'x');
    const auto plain = writeRaw(directory.path() / "plain", text);
    const auto packed = writeRaw(directory.path() / "packed", gzipPacked(text));
    CHECK(readTextFile(plain, 200000).value() == text);
    CHECK(readTextFile(packed, 200000).value() == text);
    CHECK(readTextFile(writeRaw(directory.path() / "empty", ""), 10).value().empty());
    CHECK(readTextFile(plain, 199999).problem().text() ==
          plain.string() + " is larger than the limit of 199999 bytes: use a smaller file");
    CHECK(readTextFile(packed, 199999).problem().text() ==
          packed.string() + " unpacks to more than 199999 bytes, the maximum for a gzip file: use a smaller file");
}

TEST_CASE("a compressed text may decompress to 256 MiB at most, less than a plain one") {
    const TemporaryDirectory directory;
    const std::string member = gzipPacked(std::string(std::size_t{1} << 24, '0'));
    std::string bomb;
    for (int i = 0; i < 17; ++i) bomb += member;
    const auto path = writeRaw(directory.path() / "bomb.csv.gz", bomb);
    CHECK(readTextFile(path, std::size_t{1} << 30).problem().text() ==
          path.string() +
              " unpacks to more than 256 MiB, the maximum for a gzip file: unpack it (gunzip) and use the unpacked "
              "file, whose limit is 1 GiB");
}
