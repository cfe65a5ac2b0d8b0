// SPDX-License-Identifier: Apache-2.0
#include "run/training/training_child.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <fstream>

#include "base/errors/errors.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Writes a shell script with this body. It is started as `SCRIPT run EXPERIMENT --out DIRECTORY`. Returns its path.
fs::path scriptIn(const fs::path& directory, const std::string& body) {
    const fs::path file = directory / "ringsidectl";
    std::ofstream(file) << "#!/bin/sh\n" << body;
    fs::permissions(file, fs::perms::owner_all);
    return file;
}

const std::string kTrains = R"(mkdir "$4" && grep -q '"name": "lesson"' "$2" || exit 3
printf '{"state":"finished","verdict":"finished 2 epochs","steps":24}' > "$4/summary.json"
)";

RunConfig lesson() {
    RunConfig config;
    config.name = "lesson";
    return config;
}

}  // namespace

TEST_CASE("a training in a child process ends with the summary of its run") {
    const TemporaryDirectory scratch;
    TrainingChild child(scriptIn(scratch.path(), kTrains), lesson(), "one", scratch.path());
    const Result<TrainedChild> trained = child.wait();
    REQUIRE(trained.ok());
    CHECK(trained.value().run == scratch.path() / "one");
    CHECK(trained.value().summary.steps == 24);
    CHECK(trained.value().summary.state == RunOutcome::kFinished);
}

TEST_CASE("a training can be followed without blocking") {
    const TemporaryDirectory scratch;
    const std::string waits = "while [ ! -e " + (scratch.path() / "go").string() + " ]; do sleep 0.01; done\n";
    TrainingChild child(scriptIn(scratch.path(), waits + kTrains), lesson(), "one", scratch.path());
    CHECK_FALSE(child.advance());
    std::ofstream(scratch.path() / "go") << "go";
    while (!child.advance()) {
        pollfd end{child.exitFd(), POLLIN, 0};
        ::poll(&end, 1, 20);
    }
    CHECK(child.result().ok());
}

TEST_CASE("a stop request ends the training before the error is thrown") {
    const TemporaryDirectory scratch;
    const std::string stops = "trap 'touch " + (scratch.path() / "stopped").string() + "; exit 20' TERM\n" + "touch " +
                              (scratch.path() / "ready").string() + "\nwhile :; do sleep 0.01; done\n";
    TrainingChild child(scriptIn(scratch.path(), stops), lesson(), "one", scratch.path());
    while (!fs::exists(scratch.path() / "ready")) ::poll(nullptr, 0, 5);
    const UniqueFd stop(::eventfd(1, EFD_CLOEXEC));
    CHECK_THROWS_AS(child.wait(stop.get()), StoppedError);
    CHECK(fs::exists(scratch.path() / "stopped"));
    CHECK(child.advance());
}

TEST_CASE("a failed training returns the verdict of its run, or else the last line of output") {
    const TemporaryDirectory scratch;
    const auto problemOf = [&](const std::string& body, const std::string& name) {
        return TrainingChild(scriptIn(scratch.path(), body), lesson(), name, scratch.path()).wait().problem().message;
    };
    CHECK(problemOf("echo 'ringsidectl: optimizer.lr is -1'\nexit 2\n", "one") == "optimizer.lr is -1");
    CHECK(problemOf(R"(mkdir "$4"; echo '{"state":"failed","verdict":"rank 1 hung"}' > "$4/summary.json"; exit 13)",
                    "two") == "rank 1 hung");
    CHECK(problemOf("echo 'ended early'\n", "three") == "ended early");
    CHECK(problemOf("", "four") == "it exited with code 0 without a complete summary.json");
    CHECK(problemOf("kill -KILL $$\n", "five") == "it was killed by signal 9 (SIGKILL)");
    CHECK(problemOf(kTrains + "kill -KILL $$\n", "six") == "it was killed by signal 9 (SIGKILL)");
}
