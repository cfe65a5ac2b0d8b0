// SPDX-License-Identifier: Apache-2.0
#include "run/record/append_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "run/record/space_reserve.h"
#include "support/catch.h"
#include "support/size_limit.h"
#include "support/temporary_directory.h"

using namespace ringside;

TEST_CASE("a file on a full disk ends with the last complete line, and continues when there is space") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "lines";
    AppendFile file(path);
    file.add("first\n");
    file.flush();
    {
        const SizeLimit limit(20);
        file.add("second\nthird, too long\n");
        CHECK_THROWS_WITH(file.flush(), containing("lines cannot be written (File too large)"));
        file.add("fourth, too long for it as well\n");
        CHECK_THROWS_AS(file.flush(), IoError);
    }
    CHECK(readFile(path, 100).value() == "first\nsecond\n");
    file.add("last\n");
    file.flush();
    CHECK(readFile(path, 100).value() == "first\nsecond\nlast\n");
}

TEST_CASE("a file that the limit of open files refuses has the remedy for this limit") {
    const TemporaryDirectory directory;
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const rlimit lower{3, limit.rlim_max};  // only standard input, output and error
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &lower) == 0);
    std::string problem;
    try {
        const AppendFile file(directory.path() / "lines");
    } catch (const IoError& error) {
        problem = error.what();
    }
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(problem.ends_with("ulimit -n allows 3): raise the limit of open files"));
}

TEST_CASE("a file that is continued keeps its earlier lines when the disk is full") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "lines";
    writeFileAtomically(path, "of the earlier run\n");
    AppendFile file(path);
    const SizeLimit limit(30);
    file.add("fits\nthis line is too long\n");
    CHECK_THROWS_AS(file.flush(), IoError);
    CHECK(readFile(path, 100).value() == "of the earlier run\nfits\n");
}

TEST_CASE("a growing file is written neither through a link nor into a pipe") {
    const TemporaryDirectory directory;
    const auto victim = directory.path() / "victim";
    writeFileAtomically(victim, "somebody's");
    std::filesystem::create_symlink(victim, directory.path() / "lines");
    CHECK_THROWS_WITH(AppendFile(directory.path() / "lines"), containing("Too many levels of symbolic links"));
    CHECK(readFile(victim, 100).value() == "somebody's");
    REQUIRE(::mkfifo((directory.path() / "pipe").c_str(), 0600) == 0);
    CHECK_THROWS_AS(AppendFile(directory.path() / "pipe"), IoError);
}

TEST_CASE("reserved space has no name in the directory") {
    const TemporaryDirectory directory;
    const SpaceReserve reserve(directory.path());
    CHECK(std::filesystem::is_empty(directory.path()));
    CHECK_THROWS_WITH(SpaceReserve(directory.path() / "none"), containing("does not have enough space for a run"));
}
