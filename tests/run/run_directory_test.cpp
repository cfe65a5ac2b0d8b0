// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_directory.h"
#include "run/read/run_life.h"

#include <fstream>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "run/read/default_run_directory.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

void touch(const fs::path& path) {
    std::ofstream(path) << "x";
}

}  // namespace

TEST_CASE("a run directory that was not kept is removed") {
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

TEST_CASE("a kept run directory stays, and is locked until it is released") {
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
    CHECK(other.problem().message == "contains another run");
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

TEST_CASE("a file in the path and a read-only location are refused with the reason") {
    const TemporaryDirectory scratch;
    touch(scratch.path() / "file");
    const auto under = RunDirectory::create(scratch.path() / "file" / "run");
    REQUIRE_FALSE(under.ok());
    CHECK(under.problem().message.find("Not a directory") != std::string::npos);
    const auto proc = RunDirectory::create("/proc/ringside-run");
    REQUIRE_FALSE(proc.ok());
    CHECK(proc.problem().remedy.find("--out") != std::string::npos);
}

TEST_CASE("the default directory contains a safe form of the name") {
    const TemporaryDirectory scratch;
    const fs::path before = fs::current_path();
    fs::current_path(scratch.path());
    const auto made = makeDefaultRunDirectory("../a b/c");
    fs::current_path(before);
    REQUIRE(made.ok());
    CHECK(made.value().filename().string().find("-..-a-b-c") == 17);
    CHECK(made.value().parent_path() == scratch.path() / "runs");
    CHECK(fs::is_directory(made.value()));
}

TEST_CASE("asking for the directory of runs creates no folder") {
    const TemporaryDirectory scratch;
    const fs::path before = fs::current_path();
    fs::current_path(scratch.path());
    const fs::path wanted = runsDirectory();
    const bool isCreated = fs::exists(scratch.path() / "runs");
    touch(scratch.path() / "runs");
    const fs::path elsewhere = runsDirectory();
    fs::current_path(before);
    CHECK(wanted == scratch.path() / "runs");
    CHECK_FALSE(isCreated);
    CHECK(elsewhere != wanted);  // a file has the wanted name
}

TEST_CASE("runs that start in the same second get different directories") {
    constexpr int kRuns = 24;
    const TemporaryDirectory scratch;
    const fs::path before = fs::current_path();
    fs::current_path(scratch.path());
    std::vector<std::optional<Result<RunDirectory>>> runs(kRuns);
    std::latch start(kRuns);
    std::vector<std::jthread> threads;
    for (auto& run : runs) {
        threads.emplace_back([&] {
            start.arrive_and_wait();
            run.emplace(RunDirectory::createDefault("same"));
        });
    }
    threads.clear();
    fs::current_path(before);
    std::set<fs::path> paths;
    for (const auto& run : runs) {
        REQUIRE(run->ok());
        paths.insert(run->value().paths().directory);
    }
    CHECK(paths.size() == kRuns);
    CHECK(std::distance(fs::directory_iterator(scratch.path() / "runs"), fs::directory_iterator()) == kRuns);
}

TEST_CASE("two runs that are given the same directory do not share it") {
    const TemporaryDirectory scratch;
    const auto first = RunDirectory::create(scratch.path() / "run");
    REQUIRE(first.ok());
    const auto second = RunDirectory::create(scratch.path() / "run");
    REQUIRE_FALSE(second.ok());
    CHECK(second.problem().message == "is not empty");
    CHECK(isRunAlive(scratch.path() / "run"));
}

TEST_CASE("a reserved run directory is removed unless a run used it") {
    const TemporaryDirectory scratch;
    const fs::path before = fs::current_path();
    fs::current_path(scratch.path());
    fs::path unused, used;
    {
        const auto one = ReservedRunDirectory::make("class");
        const auto two = ReservedRunDirectory::make("class");
        REQUIRE(one.ok());
        REQUIRE(two.ok());
        unused = one.value().path();
        used = two.value().path();
        CHECK(used == unused.string() + "-2");
        touch(used / "config.json");
    }
    fs::current_path(before);
    CHECK_FALSE(fs::exists(unused));
    CHECK(fs::exists(used));
}

TEST_CASE("opening a directory without a run is reported") {
    const TemporaryDirectory scratch;
    CHECK(openRunDirectory(scratch.path() / "none").problem().message == "does not exist");
    CHECK(openRunDirectory(scratch.path()).problem().message.find("contains no run") == 0);
    touch(scratch.path() / "telemetry.jsonl");
    CHECK(openRunDirectory(scratch.path()).ok());
}
