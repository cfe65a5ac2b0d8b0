// SPDX-License-Identifier: Apache-2.0
// Tests of runs whose model is distributed over the ranks: a failure names the right rank, and the weights do not
// depend on the distribution.
#include <csignal>

#include "program.h"
#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

using Settings = std::vector<std::string>;

Settings settingsOf(const Settings& assignments) {
    Settings words;
    for (const std::string& one : assignments) {
        words.emplace_back("--set");
        words.push_back(one);
    }
    return words;
}

struct MeshRun {
    std::string name;
    Settings settings;
};

std::vector<MeshRun> meshRuns() {
    std::vector<MeshRun> runs;
    for (const std::string backend : {"shm", "gloo"}) {
        const std::string over = "parallel.backend=" + backend;
        runs.push_back({"pipeline over " + backend, {over, "parallel.strategy=pipeline", "mesh.replicate=2"}});
        runs.push_back({"fsdp over " + backend, {over, "parallel.strategy=fsdp"}});
    }
    return runs;
}

// Run of four ranks that continues until a test ends it.
struct Endless {
    TemporaryDirectory scratch;
    fs::path out = scratch.path() / "run";
    Program program;
    std::vector<pid_t> workers;

    explicit Endless(const Settings& settings) : program(arguments(settings)) {
        REQUIRE(eventually([&] { return hasTrained(out); }));
        workers = workerPids(out);
        REQUIRE(workers.size() == 4);
    }
    Settings arguments(const Settings& settings) const {
        Settings all{"run", "--out", out};
        const Settings more = settingsOf(settings);
        all.insert(all.end(), more.begin(), more.end());
        for (const char* one :
             {"training.epochs=1000000", kSanitized ? "parallel.timeout_seconds=6" : "parallel.timeout_seconds=2"})
            all.insert(all.end(), {"--set", one});
        return all;
    }
    Json summary() const { return jsonOf(out / "summary.json"); }
};

// Returns the hash of the weights after 20 steps with a global batch of 32.
std::string weightsAfter(const Settings& settings) {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Settings all{"run", "--out", out};
    const Settings more = settingsOf(settings);
    all.insert(all.end(), more.begin(), more.end());
    for (const char* one : {"training.reduction=canonical", "training.max_steps=20", "parallel.device=cpu"})
        all.insert(all.end(), {"--set", one});
    Program run(all);
    CHECK(run.wait() == 0);
    INFO(run.output());
    const Json summary = jsonOf(out / "summary.json");
    REQUIRE(summary["weights_sha256"].is_string());
    return summary["weights_sha256"];
}

}  // namespace

TEST_CASE("a rank that is killed in a pipeline or a sharded group ends the run with its name, over every transport") {
    for (const MeshRun& one : meshRuns()) {
        INFO(one.name);
        Endless run(one.settings);
        REQUIRE(::kill(run.workers[2], SIGKILL) == 0);
        CHECK(run.program.wait() == 12);
        CHECK(run.summary()["first_failed_rank"] == 2);
        CHECK(contains(run.summary()["verdict"], "rank 2 was killed by signal 9 (SIGKILL)"));
        CHECK(allGone(run.workers));
    }
}

TEST_CASE("a rank that hangs in a pipeline or a sharded group is named, over every transport") {
    for (const MeshRun& one : meshRuns()) {
        INFO(one.name);
        Endless run(one.settings);
        REQUIRE(::kill(run.workers[1], SIGSTOP) == 0);
        CHECK(run.program.wait() == 13);
        CHECK(run.summary()["first_failed_rank"] == 1);
        CHECK(allGone(run.workers));
    }
}

TEST_CASE("a pipeline can be paused, stepped and resumed from outside") {
    for (const MeshRun& one : meshRuns()) {
        INFO(one.name);
        Endless run(one.settings);
        for (const Settings& command : {Settings{"pause"}, Settings{"step", "3"}, Settings{"resume"}}) {
            Settings words{"control", run.out};
            words.insert(words.end(), command.begin(), command.end());
            Program control(words);
            INFO(command.front());
            CHECK(control.wait() == 0);
        }
        REQUIRE(::kill(run.program.pid(), SIGINT) == 0);
        CHECK(run.program.wait() == 20);
        CHECK(run.summary()["state"] == "stopped");
    }
}

TEST_CASE("canonical weights are one hash over shared memory and Gloo, on devices, ranks, shards and stages") {
    const std::string one = weightsAfter({"parallel.world_size=1", "loader.batch_size=32"});
    CHECK(weightsAfter({"parallel.world_size=4", "loader.batch_size=8", "parallel.backend=gloo"}) == one);
    CHECK(weightsAfter({"parallel.world_size=4", "loader.batch_size=8", "parallel.strategy=fsdp",
                        "parallel.backend=gloo"}) == one);
    CHECK(weightsAfter({"parallel.world_size=2", "loader.batch_size=32", "parallel.strategy=pipeline"}) == one);
    CHECK(weightsAfter({"parallel.world_size=4", "loader.batch_size=32", "parallel.strategy=data_parallel"}) == one);
}
