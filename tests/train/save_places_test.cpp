// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/save_places.h"

#include <cerrno>
#include <cstdlib>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

struct Run {
    TemporaryDirectory scratch;
    fs::path directory = scratch.path() / "runs" / "first";
    RunConfig config;

    Run() {
        fs::create_directories(directory);
        ::setenv("XDG_STATE_HOME", (scratch.path() / "state").c_str(), 1);
        config.name = "digits";
    }
    ~Run() { ::unsetenv("XDG_STATE_HOME"); }
};

IoError failure(int error) {
    return IoError("cannot be written (" + errnoText(error) + ")", error);
}

}  // namespace

TEST_CASE("a deleted run directory is tried three times, then the weights are saved next to it") {
    Run run;
    SavePlaces places(run.directory, run.config);
    CHECK(places.isRunDirectory());
    CHECK(places.chooseNext(failure(ENOENT)));
    CHECK(places.currentDirectory() == run.directory);
    CHECK(places.chooseNext(failure(ENOENT)));
    CHECK(places.currentDirectory() == run.directory);
    CHECK(places.chooseNext(failure(ENOENT)));
    CHECK(places.currentDirectory() == run.directory.string() + "-saved");
    CHECK_FALSE(places.isRunDirectory());
    CHECK(places.firstFailure() == "cannot be written (No such file or directory)");
}

TEST_CASE("if a run directory cannot be written, weights and experiment are saved elsewhere at once") {
    Run run;
    writeFileAtomically(run.directory / "config.json", "{\"exact\": true}\n");
    SavePlaces places(run.directory, run.config);
    CHECK(places.chooseNext(failure(EACCES)));
    CHECK(places.currentDirectory() == run.directory.string() + "-saved");
    CHECK(readFile(places.currentDirectory() / "config.json", 1000).value() == "{\"exact\": true}\n");
}

TEST_CASE("weights are never saved in the directory of another run") {
    Run run;
    fs::create_directories(run.directory.string() + "-saved");
    SavePlaces places(run.directory, run.config);
    CHECK(places.chooseNext(failure(EROFS)));
    CHECK(places.currentDirectory() == run.directory.string() + "-saved-2");
    const auto config =
        RunConfig::parse(readFile(places.currentDirectory() / "config.json", 1 << 20).value(), "config");
    CHECK(config.value().name == "digits");
}

TEST_CASE("the state directory is used if nothing can be written next to the run, and otherwise saving fails") {
    Run run;
    SavePlaces places("/proc/ringside/first", run.config);
    CHECK(places.chooseNext(failure(EACCES)));
    CHECK(places.currentDirectory() == run.scratch.path() / "state/ringside/saved/first");
    CHECK_FALSE(places.chooseNext(failure(ENOSPC)));
    // A saved run without weights cannot be used, so nothing is left.
    CHECK_FALSE(fs::exists(run.scratch.path() / "state/ringside/saved/first"));
    CHECK(places.firstFailure() == "cannot be written (Permission denied)");
}
