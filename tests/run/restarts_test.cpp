// SPDX-License-Identifier: Apache-2.0
#include <sys/eventfd.h>

#include <fstream>

#include "fake_ranks.h"
#include "run/supervise/live_commands.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"

using namespace ringside;
using namespace std::chrono_literals;

TEST_CASE("a changed number of epochs changes the planned end, up to training.max_steps") {
    PreparedRun run;
    run.stepsPerEpoch = 23;
    run.config.training.epochs = 4;
    CHECK(run.plannedSteps(6) == 138);
    CHECK(run.plannedEpochs(6) == 6);
    run.config.training.maxSteps = 80;  // 12 of the 92 steps are not trained
    CHECK(run.plannedSteps(2) == 46);
    CHECK(run.plannedEpochs(2) == 2);
    CHECK(run.plannedSteps(6) == 80);
    CHECK(run.plannedEpochs(6) == 3);
    run.config.training.epochs = 2;
    run.config.training.maxSteps = 60;  // more than the 46 configured steps
    CHECK(run.plannedSteps(6) == 60);
    CHECK(run.plannedEpochs(6) == 2);
}

TEST_CASE("epochs of another length before the checkpoint do not change the number of planned epochs") {
    PreparedRun run;  // resumed after 2 epochs of 10 steps; an epoch now has 20 steps
    run.stepsPerEpoch = 20;
    run.stepsBefore = 20;
    run.stepsLeft = 160;
    run.config.training.epochs = 10;
    run.config.training.maxSteps = 1000;
    CHECK(run.plannedSteps() == 180);
    CHECK(run.plannedEpochs(10) == 10);
    run.config.training.maxSteps = 179;
    CHECK(run.plannedSteps() == 179);
    CHECK(run.plannedEpochs(10) == 9);
}

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

TEST_CASE("ranks that fail after the checkpoint of the last planned step are not restarted") {
    FakeRun run("0:saves-and-dies-once,*:finish");
    run.options.workerEnvironment.push_back("FAKE_STEPS=4");
    run.prepared.config.training.epochs = 1;
    run.prepared.config.parallel.maxRestarts = 1;
    run.options.backOff = 1ms;
    run.go();
    CHECK(run.end.exitCode == 12);
    CHECK(run.summary()["restarts"] == 0);
    CHECK(contains(contentOf(run.paths().log()),
                   "no restart: checkpoints/step-00000001 has the weights of the last planned step"));
}

TEST_CASE("restarted ranks receive the commands that the restart would undo") {
    FakeRun run("0:executes-commands-and-dies-once,*:finish");
    run.prepared.config.parallel.maxRestarts = 1;
    run.options.backOff = 1ms;
    run.go();
    CHECK(run.end.verdict == "finished 3 epochs in 12 steps");
    const std::string log = contentOf(run.paths().log());
    CHECK(contains(log, "commands that the restarted ranks execute: epochs 3, pause"));
    CHECK(contains(log, R"(RINGSIDE_EPOCHS is 3, received {"kind":"epochs","value":3)"));
}

TEST_CASE("after a restart the commands in effect and the unanswered commands are repeated") {
    LiveCommands commands;
    CHECK(commands.afterRestart({}).empty());
    CHECK_FALSE(commands.epochs());
    const auto report = [&](ControlKind kind, double value, std::int64_t step) {
        commands.report(Controlled{.command = kind, .value = value, .step = step, .epoch = 0});
    };
    report(ControlKind::kEpochs, 6, 3);
    report(ControlKind::kEpochs, 8, 4);
    report(ControlKind::kLearningRate, 0.25, 5);
    report(ControlKind::kRate, 2, 6);
    report(ControlKind::kStep, 3, 7);
    CHECK(commands.epochs() == 8);
    CHECK(textOf(commands.afterRestart({})) == "epochs 8, lr 0.25, rate 2, pause");
    CHECK(textOf(commands.afterRestart({{ControlKind::kEpochs, 8, 4, 0}})) == "lr 0.25, rate 2, pause");
    report(ControlKind::kRate, 0, 8);
    report(ControlKind::kResume, 0, 8);
    commands.request({ControlKind::kLearningRate, 0.5});
    commands.request({ControlKind::kCheckpoint, 0});
    report(ControlKind::kCheckpoint, 0, 8);
    commands.request({ControlKind::kTraceEvery, 5});
    CHECK(textOf(commands.afterRestart({})) == "epochs 8, lr 0.25, lr 0.5");
    // The report of the repeated rate 0.25 does not count as one of the newer command.
    report(ControlKind::kLearningRate, 0.25, 9);
    CHECK(textOf(commands.afterRestart({})) == "epochs 8, lr 0.25, lr 0.5");
}

TEST_CASE("a pause that had no effect is not repeated after a restart") {
    LiveCommands commands;
    commands.request({ControlKind::kPause, 0});
    commands.request({ControlKind::kPause, 0});
    commands.request({ControlKind::kResume, 0});
    commands.request({ControlKind::kPause, 0});
    commands.report(Controlled{.command = ControlKind::kPause, .value = 0, .step = 3, .epoch = 0});
    CHECK(textOf(commands.afterRestart({})) == "pause, pause, resume, pause");
    commands.report(Controlled{.command = ControlKind::kResume, .value = 0, .step = 3, .epoch = 0});
    CHECK(textOf(commands.afterRestart({})) == "pause");  // requested after the resume and not executed yet
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

TEST_CASE("ranks that a launcher has restarted receive the commands of the record") {
    FakeRun run("0:executes-commands-and-dies-once,*:finish");
    run.prepared.config.training.resume = "checkpoint";
    run.options.restart = 1;
    run.options.commands.report(Controlled{.command = ControlKind::kEpochs, .value = 3, .step = 5, .epoch = 1});
    run.options.commands.report(Controlled{.command = ControlKind::kPause, .value = 0, .step = 6, .epoch = 1});
    run.go();
    const std::string log = contentOf(run.paths().log());
    CHECK(contains(log, R"(RINGSIDE_EPOCHS is 3, received {"kind":"epochs","value":3)"));
}

TEST_CASE("the record shows the commands in effect, without commands before a new start") {
    const TemporaryDirectory directory;
    const RunPaths paths(directory.path());
    const auto append = [&](const Event& event) { std::ofstream(paths.telemetry(), std::ios::app) << encode(event); };
    const auto start = [&](std::int64_t restart) {
        RunStarted run;
        run.worldSize = 1;
        REQUIRE(decodeLine(encode(run)));
        append(run);
        if (restart > 0) append(Controlled{.command = ControlKind::kRestart, .value = static_cast<double>(restart)});
        append(RankState{0, RankStage::kStarting, "", 0, 0});
    };
    CHECK(readLiveCommands(paths).afterRestart({}).empty());
    start(0);
    append(Controlled{.command = ControlKind::kRate, .value = 2, .step = 3});
    append(Controlled{.command = ControlKind::kRestart, .value = 1, .step = 3});  // within the same supervisor
    append(Controlled{.command = ControlKind::kLearningRate, .value = 0.25, .step = 4});
    CHECK(textOf(readLiveCommands(paths).afterRestart({})) == "lr 0.25, rate 2");
    start(2);
    append(Controlled{.command = ControlKind::kRate, .value = 0, .step = 5});
    CHECK(textOf(readLiveCommands(paths).afterRestart({})) == "lr 0.25");
    append(Controlled{.command = ControlKind::kPause, .value = 0, .step = 5});
    append(Controlled{.command = ControlKind::kStop, .value = 0, .step = 5});
    CHECK(textOf(readLiveCommands(paths).afterRestart({})) == "lr 0.25");
    start(0);
    append(Controlled{.command = ControlKind::kRestart, .value = 1, .step = 5});
    CHECK(readLiveCommands(paths).afterRestart({}).empty());
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
