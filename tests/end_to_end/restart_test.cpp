// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "program.h"
#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Run that lasts long enough to be killed in the middle, with a checkpoint every 5 epochs.
const std::vector<std::string> kLong{"--set", "training.epochs=120",  "--set", "training.checkpoint_every=5",
                                     "--set", "pitfalls.slow_rank=1", "--set", "pitfalls.slow_ms=2"};

std::vector<std::string> runArguments(const fs::path& out, const std::vector<std::string>& more) {
    std::vector<std::string> all{"run", "--quiet", "--out", out};
    all.insert(all.end(), kLong.begin(), kLong.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

constexpr std::size_t kFirstCheckpoint = 60;  // number of steps before the first checkpoint

std::vector<std::string> linesOfKind(const fs::path& out, const std::string& kind) {
    std::vector<std::string> found;
    for (const Json& line : linesOf(out / "metrics.jsonl")) {
        if (line["kind"] == kind) found.push_back(line.dump());
    }
    return found;
}

// True if a complete checkpoint exists and the run has recorded more steps than those before it.
bool hasCheckpoint(const fs::path& out) {
    if (linesOfKind(out, "step").size() <= kFirstCheckpoint) return false;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(out / "checkpoints", error)) {
        if (fs::exists(entry.path() / "manifest.json")) return true;
    }
    return false;
}

void checkSameMetrics(const fs::path& one, const fs::path& other) {
    CHECK(linesOfKind(one, "step") == linesOfKind(other, "step"));
    CHECK(linesOfKind(one, "epoch") == linesOfKind(other, "epoch"));
}

pid_t pidOf(const fs::path& out, std::size_t rank) {
    const std::vector<pid_t> pids = workerPids(out);
    REQUIRE(pids.size() == 4);
    return pids[rank];
}

}  // namespace

TEST_CASE("after a restart the losses are those of the undisturbed run, to the last bit") {
    const TemporaryDirectory scratch;
    const fs::path reference = scratch.path() / "reference";
    REQUIRE(Program(runArguments(reference, {})).wait() == 0);
    for (const std::size_t rank : {std::size_t{0}, std::size_t{2}}) {
        const fs::path out = scratch.path() / ("killed" + std::to_string(rank));
        Program program(runArguments(out, {"--max-restarts", "2"}));
        REQUIRE(eventually([&] { return hasCheckpoint(out); }));
        REQUIRE(::kill(pidOf(out, rank), SIGKILL) == 0);
        const int code = program.wait();
        INFO(program.output());
        CHECK(code == 0);
        const Json summary = jsonOf(out / "summary.json");
        CHECK(summary["state"] == "finished");
        CHECK(summary["restarts"] == 1);
        checkSameMetrics(out, reference);
        const std::vector<std::string> flags = linesOfKind(out, "control");
        REQUIRE(flags.size() == 1);
        CHECK(contains(flags.front(), "\"command\":\"restart\""));
        CHECK(contains(contentOf(out / "log.txt"),
                       "restart 1 of 2 in 1000 ms: all ranks continue from checkpoints/step-"));
    }
}

TEST_CASE("a restart keeps a pause and a changed number of epochs") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    const auto control = [&](const std::vector<std::string>& words) {
        std::vector<std::string> all{"control", out};
        all.insert(all.end(), words.begin(), words.end());
        return Program(all).wait();
    };
    Program program(runArguments(out, {"--max-restarts", "1"}));
    REQUIRE(eventually([&] { return hasCheckpoint(out); }));
    CHECK(control({"pause"}) == 0);  // no checkpoint follows, which would contain the number of epochs
    CHECK(control({"epochs", "125"}) == 0);
    REQUIRE(::kill(pidOf(out, 1), SIGKILL) == 0);
    REQUIRE(eventually([&] { return linesOfKind(out, "control").size() >= 5; }));
    CHECK(contains(linesOfKind(out, "control")[2], "\"command\":\"restart\""));
    CHECK(contains(linesOfKind(out, "control")[3], "\"command\":\"epochs\""));
    CHECK(contains(linesOfKind(out, "control")[4], "\"command\":\"pause\""));
    CHECK(control({"resume"}) == 0);
    CHECK(program.wait() == 0);
    CHECK(contains(program.output(), "finished 125 epochs"));
}

TEST_CASE("the number of restarts is limited, and the verdict is kept") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program program(runArguments(out, {"--max-restarts", "1", "--set", "training.epochs=1000000"}));
    REQUIRE(eventually([&] { return hasTrained(out); }));
    const pid_t first = pidOf(out, 1);
    REQUIRE(::kill(first, SIGKILL) == 0);
    REQUIRE(eventually([&] { return pidOf(out, 1) != first; }));
    REQUIRE(::kill(pidOf(out, 1), SIGKILL) == 0);
    CHECK(program.wait() == 12);
    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["state"] == "failed");
    CHECK(summary["restarts"] == 1);
    CHECK(contains(summary["verdict"], "rank 1 was killed by signal 9 (SIGKILL)"));
}

TEST_CASE("resume auto continues in the same directory without a change of results") {
    const TemporaryDirectory scratch;
    const fs::path reference = scratch.path() / "reference";
    REQUIRE(Program(runArguments(reference, {})).wait() == 0);
    const fs::path out = scratch.path() / "run";
    Program first(runArguments(out, {"--resume", "auto"}));  // no checkpoint yet: starts from the beginning
    REQUIRE(eventually([&] { return hasCheckpoint(out); }));
    first.signal(SIGKILL);
    CHECK(first.wait() == 128 + SIGKILL);
    Program second(runArguments(out, {"--resume", "auto"}));
    const int code = second.wait();
    INFO(second.output());
    REQUIRE(code == 0);
    checkSameMetrics(out, reference);
    CHECK(jsonOf(out / "summary.json")["state"] == "finished");
    Program show({"show", out});
    CHECK(show.wait() == 0);
    CHECK(contains(show.output(), "finished"));
    Program nowhere({"run", "--resume", "auto"});
    CHECK(nowhere.wait() == 2);
    CHECK(contains(nowhere.output(), "name the run directory with --out"));
}

TEST_CASE("resume auto without a checkpoint of its own continues from the checkpoint of the first start") {
    const TemporaryDirectory scratch;
    const fs::path source = scratch.path() / "source";
    REQUIRE(Program({"run", "--quiet", "--out", source, "--set", "training.epochs=1", "--set", "parallel.world_size=1"})
                .wait() == 0);
    const std::int64_t stepsBefore = jsonOf(source / "summary.json")["steps"];
    const fs::path out = scratch.path() / "run";
    REQUIRE(Program({"run", "--quiet", "--out", out, "--resume", source, "--set", "training.epochs=2"}).wait() == 0);
    const std::vector<std::string> steps = linesOfKind(out, "step");
    fs::remove_all(out / "checkpoints");
    REQUIRE(Program({"run", "--quiet", "--out", out, "--resume", "auto"}).wait() == 0);
    CHECK(linesOfKind(out, "step") == steps);
    REQUIRE_FALSE(steps.empty());
    CHECK(Json::parse(steps.front())["step"] == stepsBefore + 1);

    const fs::path worker = builtProgram("ringside-worker");
    fs::remove_all(out / "checkpoints");
    Program restarted({out / "config.json", "--out", out, "--resume", "auto", "--restart", "1"}, -1, worker);
    CHECK(restarted.wait() == 0);
    CHECK(contains(restarted.output(), "continuing from " + source.string()));
    CHECK(linesOfKind(out, "step") == steps);

    fs::remove_all(source);
    fs::remove_all(out / "checkpoints");
    Program lost({"run", "--quiet", "--out", out, "--resume", "auto"});
    CHECK(lost.wait() == 2);
    CHECK(contains(lost.output(), "does not exist"));
}
