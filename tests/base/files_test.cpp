// SPDX-License-Identifier: Apache-2.0
#include "base/system/files.h"

#include <sys/stat.h>

#include <fstream>

#include "support/catch.h"
#include "support/size_limit.h"
#include "support/temporary_directory.h"

using namespace ringside;

TEST_CASE("a file is replaced atomically, and no temporary file remains") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "summary.json";
    writeFileAtomically(path, "first");
    writeFileAtomically(path, "second");
    CHECK(readFile(path, 100).value() == "second");
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("writing below a file fails with the path and the reason") {
    const TemporaryDirectory directory;
    std::ofstream(directory.path() / "file") << "x";
    const auto path = directory.path() / "file" / "summary.json";
    CHECK_THROWS_WITH(writeFileAtomically(path, "x"), containing("Not a directory"));
}

TEST_CASE("a full disk is an error and leaves no file") {
    const TemporaryDirectory directory;
    const SizeLimit limit(4);
    CHECK_THROWS_WITH(writeFileAtomically(directory.path() / "a.json", "too long"), containing("File too large"));
    CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("a link with the name of the temporary file is not followed") {
    const TemporaryDirectory directory;
    const auto victim = directory.path() / "victim";
    const auto path = directory.path() / "a.json";
    std::ofstream(victim) << "somebody's";
    for (const bool hard : {false, true}) {
        INFO("hard link " << hard);
        if (hard) {
            std::filesystem::create_hard_link(victim, directory.path() / "a.json.tmp");
        } else {
            std::filesystem::create_symlink(victim, directory.path() / "a.json.tmp");
        }
        writeFileAtomically(path, "ours");
        CHECK(readFile(victim, 100).value() == "somebody's");
        CHECK(readFile(path, 100).value() == "ours");
        CHECK_FALSE(std::filesystem::is_symlink(path));
        CHECK_FALSE(std::filesystem::exists(directory.path() / "a.json.tmp"));
    }
}

TEST_CASE("a link with the name of the file is replaced, and its target is unchanged") {
    const TemporaryDirectory directory;
    std::ofstream(directory.path() / "victim") << "somebody's";
    std::filesystem::create_symlink("victim", directory.path() / "a.json");
    writeFileAtomically(directory.path() / "a.json", "ours");
    CHECK(readFile(directory.path() / "victim", 100).value() == "somebody's");
    CHECK(readFile(directory.path() / "a.json", 100).value() == "ours");
}

TEST_CASE("writing replaces files, never a directory, a device or a pipe") {
    const TemporaryDirectory directory;
    CHECK_THROWS_WITH(writeFileAtomically(directory.path(), "x"), containing("is a directory: choose a regular file"));
    const auto pipe = directory.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(writeFileAtomically(pipe, "x"), containing("is a pipe, not a file: choose a regular file"));
    CHECK(std::filesystem::is_fifo(pipe));
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("reading reports the problem of a path") {
    const TemporaryDirectory directory;
    CHECK(readFile(directory.path() / "none", 10).problem().message.find("No such file") != std::string::npos);
    CHECK(readFile(directory.path(), 10).problem().message == "is a directory");
    std::ofstream(directory.path() / "big") << "12345678901";
    CHECK(readFile(directory.path() / "big", 10).problem().message == "is larger than the limit of 10 bytes");
}

TEST_CASE("a pipe or a device is refused at once without blocking") {
    const TemporaryDirectory directory;
    const auto pipe = directory.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(readFile(pipe, 10).problem().text() == pipe.string() + " is a pipe, not a file: choose a regular file");
    CHECK(readFile("/dev/zero", 10).problem().message == "is a device, not a file");
}
