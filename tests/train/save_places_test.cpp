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
    CHECK(places.advance(failure(ENOENT)));
    CHECK(places.current() == run.directory);
    CHECK(places.advance(failure(ENOENT)));
    CHECK(places.current() == run.directory);
    CHECK(places.advance(failure(ENOENT)));
    CHECK(places.current() == run.directory.string() + "-saved");
    CHECK_FALSE(places.isRunDirectory());
    CHECK(places.firstFailure() == "cannot be written (No such file or directory)");
}

TEST_CASE("if a run directory cannot be written, weights and experiment are saved elsewhere at once") {
    Run run;
    writeFileAtomically(run.directory / "config.json", "{\"exact\": true}\n");
    SavePlaces places(run.directory, run.config);
    CHECK(places.advance(failure(EACCES)));
    CHECK(places.current() == run.directory.string() + "-saved");
    CHECK(readFile(places.current() / "config.json", 1000).value() == "{\"exact\": true}\n");
}

TEST_CASE("weights are never saved in the directory of another run") {
    Run run;
    fs::create_directories(run.directory.string() + "-saved");
    SavePlaces places(run.directory, run.config);
    CHECK(places.advance(failure(EROFS)));
    CHECK(places.current() == run.directory.string() + "-saved-2");
    const auto config = RunConfig::parse(readFile(places.current() / "config.json", 1 << 20).value(), "config");
    CHECK(config.value().name == "digits");
}

TEST_CASE("the state directory is used if nothing can be written next to the run, and otherwise saving fails") {
    Run run;
    SavePlaces places("/proc/ringside/first", run.config);
    CHECK(places.advance(failure(EACCES)));
    CHECK(places.current() == run.scratch.path() / "state/ringside/saved/first");
    CHECK_FALSE(places.advance(failure(ENOSPC)));
    CHECK_FALSE(fs::exists(run.scratch.path() / "state/ringside/saved/first"));  // without weights it is of no use
    CHECK(places.firstFailure() == "cannot be written (Permission denied)");
}
