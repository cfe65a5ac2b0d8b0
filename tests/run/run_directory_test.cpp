// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_directory.h"

#include <fstream>

#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

void touch(const fs::path& path) {
    std::ofstream(path) << "x";
}

}  // namespace

TEST_CASE("a run directory that was not kept leaves nothing behind") {
    const TemporaryDirectory scratch;
    const fs::path path = scratch.path() / "runs" / "one";
    {
        const auto directory = RunDirectory::create(path);
        REQUIRE(directory.ok());
        touch(directory.value().paths().config());
        CHECK(isRunAlive(path));
    }
    CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a kept run directory stays, and is alive until it is released") {
    const TemporaryDirectory scratch;
    auto directory = RunDirectory::create(scratch.path() / "one");
    REQUIRE(directory.ok());
    touch(directory.value().paths().config());
    directory.value().keep();
    CHECK(isRunAlive(scratch.path() / "one"));
    directory.value().release();
    CHECK_FALSE(isRunAlive(scratch.path() / "one"));
    CHECK(fs::exists(scratch.path() / "one" / "config.json"));
    CHECK_FALSE(fs::exists(scratch.path() / "one" / "run.lock"));
    CHECK(openRunDirectory(scratch.path() / "one").ok());
}

TEST_CASE("a directory with another run or other files is refused and untouched") {
    const TemporaryDirectory scratch;
    touch(scratch.path() / "config.json");
    const auto other = RunDirectory::create(scratch.path());
    REQUIRE_FALSE(other.ok());
    CHECK(other.problem().message == "holds another run");
    fs::rename(scratch.path() / "config.json", scratch.path() / "letter.txt");
    const auto full = RunDirectory::create(scratch.path());
    REQUIRE_FALSE(full.ok());
    CHECK(full.problem().message == "is not empty");
    CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("an empty directory may be used, and is empty again when the run does not start") {
    const TemporaryDirectory scratch;
    { CHECK(RunDirectory::create(scratch.path()).ok()); }
    CHECK(fs::exists(scratch.path()));
    CHECK(fs::is_empty(scratch.path()));
}

TEST_CASE("a file in the path and a place that cannot be written are refused with the reason") {
    const TemporaryDirectory scratch;
    touch(scratch.path() / "file");
    const auto under = RunDirectory::create(scratch.path() / "file" / "run");
    REQUIRE_FALSE(under.ok());
    CHECK(under.problem().message.find("Not a directory") != std::string::npos);
    const auto proc = RunDirectory::create("/proc/ringside-run");
    REQUIRE_FALSE(proc.ok());
    CHECK(proc.problem().remedy.find("--out") != std::string::npos);
}

TEST_CASE("the default directory carries a harmless form of the name") {
    const fs::path path = defaultRunDirectory("../a b/c");
    CHECK(path.filename().string().find("-..-a-b-c") == 17);
    CHECK(path.parent_path().filename() == "runs");
}

TEST_CASE("opening what is no run directory says so") {
    const TemporaryDirectory scratch;
    CHECK(openRunDirectory(scratch.path() / "none").problem().message == "does not exist");
    CHECK(openRunDirectory(scratch.path()).problem().message.find("holds no run") == 0);
}
