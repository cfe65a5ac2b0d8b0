// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/save_directories.h"

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
    SaveDirectories directories(run.directory, run.config);
    CHECK(directories.isRunDirectory());
    CHECK(directories.chooseNext(failure(ENOENT)));
    CHECK(directories.currentDirectory() == run.directory);
    CHECK(directories.chooseNext(failure(ENOENT)));
    CHECK(directories.currentDirectory() == run.directory);
    CHECK(directories.chooseNext(failure(ENOENT)));
    CHECK(directories.currentDirectory() == run.directory.string() + "-saved");
    CHECK_FALSE(directories.isRunDirectory());
    CHECK(directories.firstFailure() == "cannot be written (No such file or directory)");
}

TEST_CASE("if a run directory cannot be written, weights and experiment are saved elsewhere at once") {
    Run run;
    writeFileAtomically(run.directory / "config.json", "{\"exact\": true}\n");
    SaveDirectories directories(run.directory, run.config);
    CHECK(directories.chooseNext(failure(EACCES)));
    CHECK(directories.currentDirectory() == run.directory.string() + "-saved");
    CHECK(readFile(directories.currentDirectory() / "config.json", 1000).value() == "{\"exact\": true}\n");
}

TEST_CASE("weights are never saved in the directory of another run") {
    Run run;
    fs::create_directories(run.directory.string() + "-saved");
    SaveDirectories directories(run.directory, run.config);
    CHECK(directories.chooseNext(failure(EROFS)));
    CHECK(directories.currentDirectory() == run.directory.string() + "-saved-2");
    const auto config =
        RunConfig::parse(readFile(directories.currentDirectory() / "config.json", 1 << 20).value(), "config");
    CHECK(config.value().name == "digits");
}

TEST_CASE("the state directory is used if nothing can be written next to the run, and otherwise saving fails") {
    Run run;
    SaveDirectories directories("/proc/ringside/first", run.config);
    CHECK(directories.chooseNext(failure(EACCES)));
    CHECK(directories.currentDirectory() == run.scratch.path() / "state/ringside/saved/first");
    CHECK_FALSE(directories.chooseNext(failure(ENOSPC)));
    // A saved run without weights cannot be used, so nothing is left.
    CHECK_FALSE(fs::exists(run.scratch.path() / "state/ringside/saved/first"));
    CHECK(directories.firstFailure() == "cannot be written (Permission denied)");
}
