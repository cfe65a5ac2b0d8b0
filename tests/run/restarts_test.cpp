// SPDX-License-Identifier: Apache-2.0
#include <sys/eventfd.h>

#include <fstream>

#include "fake_ranks.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

TEST_CASE("failed ranks are restarted up to the limit, and repeated steps are recorded once") {
    FakeRun run("1:kill,*:wait");
    run.prepared.config.parallel.maxRestarts = 2;
    run.options.backOff = 1ms;
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 12);
    CHECK(run.summary()["restarts"] == 2);
    CHECK(run.pids.size() == 9);
    std::vector<std::int64_t> steps;
    std::vector<double> flags;
    for (const Json& line : linesOf(run.paths().metrics())) {
        if (line["kind"] == "step") steps.push_back(line["step"]);
        if (line["kind"] == "control") flags.push_back(line["value"]);
    }
    CHECK(std::is_sorted(steps.begin(), steps.end()));
    CHECK(std::adjacent_find(steps.begin(), steps.end()) == steps.end());
    CHECK(flags == std::vector<double>{1, 2});
    const std::string log = contentOf(run.paths().log());
    CHECK(
        contains(log, "restart 2 of 2 in 2 ms: all ranks continue from the start, because there is no checkpoint yet"));
}

TEST_CASE("restarted ranks resume from the checkpoint that the log names") {
    FakeRun run("0:saves-and-dies-once,*:finish");
    run.prepared.config.parallel.maxRestarts = 1;
    run.options.backOff = 1ms;
    run.go();
    CHECK(run.end.state == RunOutcome::kFinished);
    CHECK(run.summary()["restarts"] == 1);
    const std::string log = contentOf(run.paths().log());
    CHECK(contains(log, "all ranks continue from checkpoints/step-00000001, step 4"));
    CHECK(contains(log, "resumed from " + (run.directory / "checkpoints/step-00000001").string()));
}

// Each change after the failure requests a stop, so that one is pending when the pause begins.
TEST_CASE("a stop request in the pause before a restart prevents the restart") {
    FakeRun run("1:kill,*:wait");
    run.prepared.config.parallel.maxRestarts = 1;
    run.options.backOff = 30s;
    const UniqueFd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    run.options.stopFd = stop.get();
    run.options.onChange = [&](const RunData& data, unsigned) {
        const std::uint64_t one = 1;
        if (data.ranks()[1].state == RankStage::kFailed) CHECK(::write(stop.get(), &one, sizeof one) > 0);
    };
    run.go();
    CHECK(run.end.state == RunOutcome::kFailed);
    CHECK(run.end.exitCode == 12);
    CHECK_FALSE(run.anybodyLeft());
    CHECK(run.summary()["restarts"] == 0);
    for (const Json& line : linesOf(run.paths().metrics())) CHECK(line["kind"] != "control");
    CHECK(contains(contentOf(run.paths().log()), "stop requested during the pause: the run is not restarted"));
}

TEST_CASE("restarts of a launcher before this start are counted and recorded") {
    FakeRun run("*:finish");
    run.options.restart = 2;
    run.go();
    CHECK(run.end.state == RunOutcome::kFinished);
    CHECK(run.summary()["restarts"] == 2);
    std::vector<double> restarts;
    for (const Json& line : linesOf(run.paths().metrics())) {
        if (line["kind"] == "control" && line["command"] == "restart") restarts.push_back(line["value"]);
    }
    CHECK(restarts == std::vector<double>{2});
}

TEST_CASE("a resumed run names the steps that its earlier record lacks") {
    const auto warns = [](std::int64_t recordedSteps, std::int64_t logEvery) {
        FakeRun run("*:finish");
        run.prepared.stepsBefore = 4;
        run.prepared.config.training.logEvery = logEvery;
        std::ofstream record(run.paths().metrics());
        for (std::int64_t step = logEvery; step <= recordedSteps; step += logEvery)
            record << Json{{"kind", "step"}, {"step", step}}.dump() << '\n';
        record.close();
        run.go();
        return contains(contentOf(run.paths().log()), "the record ends at step " + std::to_string(recordedSteps) +
                                                          ", and the checkpoint was saved after step 4");
    };
    CHECK(warns(2, 1));
    CHECK(warns(0, 1));
    CHECK_FALSE(warns(4, 1));
    CHECK_FALSE(warns(3, 3));       // the record would have the steps 3 and 6
    FakeRun elsewhere("*:finish");  // a new directory has no earlier record
    elsewhere.prepared.stepsBefore = 4;
    elsewhere.go();
    CHECK_FALSE(contains(contentOf(elsewhere.paths().log()), "the record ends"));
}

TEST_CASE("restarts of a launcher use up parallel.max_restarts") {
    FakeRun run("1:kill,*:wait");
    run.prepared.config.parallel.maxRestarts = 3;
    run.options.restart = 2;
    run.options.backOff = 1ms;
    run.go();
    CHECK(run.end.exitCode == 12);
    CHECK(run.summary()["restarts"] == 3);
    CHECK(run.pids.size() == 6);
}

TEST_CASE("a failure that would repeat causes no restart") {
    FakeRun run("1:exit=2,*:wait");
    run.prepared.config.parallel.maxRestarts = 2;
    run.go();
    CHECK(run.end.exitCode == 2);
    CHECK(run.summary()["restarts"] == 0);
    CHECK_FALSE(run.anybodyLeft());
}
