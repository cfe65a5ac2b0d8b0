// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run_controller.h"

#include <QAbstractItemModelTester>

#include "base/json/json.h"
#include "models/log_model.h"
#include "models/run_model.h"
#include "support/catch.h"
#include "ui/fake_run.h"
#include "ui/wait_for.h"

using namespace ringside;
using State = RunController::State;

TEST_CASE("a run starts, is followed and finishes") {
    const FakeRun fake("finishes");
    RunModel model;
    RunController controller(FakeRun::program(), model);
    std::vector<State> states;
    QObject::connect(&controller, &RunController::stateChanged, &controller, [&](State s) { states.push_back(s); });
    RunConfig config;
    config.parallel.worldSize = 7;
    controller.start(config, {});
    CHECK(controller.isLive());
    REQUIRE(waitFor([&] { return !controller.isLive(); }));
    CHECK(controller.state() == State::Finished);
    CHECK(states.front() == State::Starting);
    CHECK(controller.runDirectory() == fake.folder.path());
    CHECK(controller.message() == "finished 10 epochs");
    CHECK(model.data().started()->worldSize == 4);
    CHECK(Json::parse(fake.read("config.json").toStdString()) == config.toJson());
}

TEST_CASE("stop is requested on the viewer's control stream, and the run ends as stopped") {
    const FakeRun fake("lives");
    RunModel model;
    RunController controller(FakeRun::program(), model);
    controller.start(RunConfig(), {});
    REQUIRE(waitFor([&] { return controller.state() == State::Running; }));
    controller.stop();
    CHECK(controller.state() == State::Stopping);
    REQUIRE(waitFor([&] { return !controller.isLive(); }));
    CHECK(controller.state() == State::Stopped);
    CHECK(fake.read("control") == "{\"kind\":\"stop\"}\n");
}

TEST_CASE("a stop during the start reaches the ranks when they are ready") {
    const FakeRun fake("lives");
    RunModel model;
    RunController controller(FakeRun::program(), model);
    controller.start(RunConfig(), {});
    controller.stop();
    REQUIRE(waitFor([&] { return controller.state() == State::Stopped; }));
}

TEST_CASE("a refused run fails with a one-line reason") {
    const FakeRun fake("refuses");
    RunModel model;
    RunController controller(FakeRun::program(), model);
    controller.start(RunConfig(), {});
    REQUIRE(waitFor([&] { return controller.state() == State::Failed; }));
    CHECK(controller.message() == "no space left on device: free some space, then run again");
}

TEST_CASE("a launcher without output still results in a message with a remedy") {
    const FakeRun fake("speechless");
    RunModel model;
    RunController controller(FakeRun::program(), model);
    controller.start(RunConfig(), {});
    REQUIRE(waitFor([&] { return controller.state() == State::Failed; }));
    CHECK(controller.message().contains("code 70"));
}

TEST_CASE("a viewer that ends without the end of the run is a failure") {
    const FakeRun fake("vanishes");
    RunModel model;
    RunController controller(FakeRun::program(), model);
    controller.attach(fake.folder.path());
    REQUIRE(waitFor([&] { return controller.state() == State::Failed; }));
    CHECK(controller.message().contains("is no run directory any more"));
}

TEST_CASE("a missing ringsidectl is reported with the remedy") {
    RunModel model;
    RunController controller(QStringLiteral("/nowhere/ringsidectl"), model);
    controller.start(RunConfig(), {});
    REQUIRE(waitFor([&] { return controller.state() == State::Failed; }));
    CHECK(controller.message().contains("/nowhere/ringsidectl"));
    CHECK(controller.message().contains("put it beside"));
}

TEST_CASE("a run that is kept running is not stopped and can be attached again") {
    const FakeRun fake("lives");
    RunModel model;
    RunController controller(FakeRun::program(), model);
    controller.start(RunConfig(), {});
    REQUIRE(waitFor([&] { return controller.state() == State::Running; }));
    controller.detach();
    CHECK(controller.state() == State::Idle);
    CHECK(fake.read("control").isEmpty());
    controller.attach(fake.folder.path());
    REQUIRE(waitFor([&] { return controller.state() == State::Running; }));
}

TEST_CASE("the log model follows the rules of item models while lines are added and removed") {
    RunModel run;
    LogModel log(run);
    const QAbstractItemModelTester tester(&log, QAbstractItemModelTester::FailureReportingMode::Fatal);
    constexpr int kLines = static_cast<int>(RunData::kMaxLogLines) + 100;
    for (int i = 0; i < kLines; ++i) {
        run.feed(QByteArray::fromStdString(encode(LogLine{i % 4, LogLevel::kInfo, "line " + std::to_string(i), i})));
        if (i % 1000 == 0)
            REQUIRE(waitFor([&] { return log.rowCount() == std::min<int>(i + 1, RunData::kMaxLogLines); }));
    }
    const auto last = [&] { return log.index(log.rowCount() - 1).data().toString(); };
    REQUIRE(waitFor([&] { return log.rowCount() > 0 && last().contains("line " + QString::number(kLines - 1)); }));
    CHECK(log.rowCount() == static_cast<int>(RunData::kMaxLogLines));
    CHECK(log.index(0).data().toString().contains("line 100"));
}

TEST_CASE("a failed run's log ends with the last lines of the failed rank") {
    RunModel run;
    LogModel log(run);
    RunEnded end;
    end.state = RunOutcome::kFailed;
    end.firstFailedRank = 2;
    end.lastLines = {"loading", "out of memory"};
    run.feed(QByteArray::fromStdString(encode(end)));
    REQUIRE(waitFor([&] { return log.rowCount() == 2; }));
    CHECK(log.index(1).data().toString().endsWith("rank 2   out of memory"));
}

TEST_CASE("a long replay is decoded in pieces with one signal per tick") {
    RunModel run;
    QByteArray lines;
    for (int i = 0; i < 20000; ++i)
        lines += QByteArray::fromStdString(encode(LogLine{0, LogLevel::kInfo, std::string(60, 'x'), i}));
    int changes = 0;
    QObject::connect(&run, &RunModel::changed, &run, [&] { ++changes; });
    run.feed(lines);
    CHECK(!run.isDrained());  // 2 MB are not handled at once, because that would block the window
    REQUIRE(waitFor([&] { return run.isDrained() && changes > 0; }));
    CHECK(run.data().logLinesDropped() == 20000 - static_cast<int>(RunData::kMaxLogLines));
}
