// SPDX-License-Identifier: Apache-2.0
#include "data/readers/byte_source.h"

#include <sys/stat.h>

#include <array>

#include "data/raw_file.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::string readWhole(const std::filesystem::path& path, std::size_t portion) {
    auto source = ByteSource::open(path);
    REQUIRE(source.ok());
    std::string text;
    std::string buffer(portion, '\0');
    for (;;) {
        auto got = source.value().read(std::as_writable_bytes(std::span(buffer)));
        if (!got) return got.problem().text();
        text.append(buffer, 0, got.value());
        CHECK(source.value().position() == text.size());
        if (got.value() < portion) return text;
    }
}

}  // namespace

TEST_CASE("plain and compressed files give the same bytes in pieces of any size") {
    const TemporaryDirectory directory;
    std::string text;
    for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919 % 10007);
    const auto plain = writeRaw(directory.path() / "plain.gz", text);
    const auto packed = writeRaw(directory.path() / "packed", gzipPacked(text));
    for (const std::size_t portion : {std::size_t{7}, std::size_t{65536}, std::size_t{1} << 20}) {
        CHECK(readWhole(plain, portion) == text);
        CHECK(readWhole(packed, portion) == text);
    }
}

TEST_CASE("consecutive gzip members are read, padding after them is not") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "members.gz";
    writeRaw(path, gzipPacked("first,") + gzipPacked("second"));
    CHECK(readWhole(path, 5) == "first,second");
    writeRaw(path, gzipPacked("only") + std::string(100, '\0'));
    CHECK(readWhole(path, 5) == "only");
}

TEST_CASE("damaged gzip data is reported with the number of bytes") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "broken.gz";
    std::string packed = gzipPacked(std::string(1000, 'a'));
    writeRaw(path, packed.substr(0, packed.size() - 8));
    CHECK_THAT(readWhole(path, 4096), containing("broken.gz is damaged gzip data (the data end too early) after 1000"));
    packed[packed.size() - 8] ^= 1;
    writeRaw(path, packed);
    CHECK_THAT(readWhole(path, 4096), containing("incorrect data check"));
}

TEST_CASE("a path that is not a data file is refused at once, even a pipe without a writer") {
    const TemporaryDirectory directory;
    CHECK(ByteSource::open(directory.path()).problem().message == "is a directory");
    CHECK_THAT(ByteSource::open(directory.path() / "none").problem().text(), containing("No such file"));
    const auto pipe = directory.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(ByteSource::open(pipe).problem().message == "is a pipe, not a file");
}

TEST_CASE("an upper bound of the size is known before reading") {
    const TemporaryDirectory directory;
    auto plain = ByteSource::open(writeRaw(directory.path() / "a", "12345")).value();
    CHECK(plain.maxBytesLeft() == 5);
    std::byte two[2];
    REQUIRE(plain.read(two).ok());
    CHECK(plain.maxBytesLeft() == 3);
    const std::string zeros(1 << 20, '\0');
    const auto packed = ByteSource::open(writeRaw(directory.path() / "b", gzipPacked(zeros))).value();
    CHECK(packed.maxBytesLeft() >= zeros.size());
}

TEST_CASE("a file that is too short is reported with its length") {
    const TemporaryDirectory directory;
    auto source = ByteSource::open(writeRaw(directory.path() / "short", "12345")).value();
    std::byte eight[8];
    CHECK_THAT(source.readAll(eight, "header").problem().text(),
               containing("short ends after 5 bytes; 8 were expected for its header"));
}

TEST_CASE("a stopped source returns no more bytes") {
    const TemporaryDirectory directory;
    for (const std::string& content : {std::string(100, 'x'), gzipPacked(std::string(100, 'x'))}) {
        const auto path = writeRaw(directory.path() / "file", content);
        std::stop_source stop;
        auto source = ByteSource::open(path, stop.get_token()).value();
        std::array<std::byte, 10> ten{};
        CHECK(source.read(ten).value() == 10);
        stop.request_stop();
        CHECK(source.read(ten).problem().text() ==
              path.string() + " was not read to its end because reading was cancelled: choose the file again");
    }
}
