// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the texts in the window while a run starts, when the form differs from the run, and after the run.
#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QUrl>
#include <filesystem>

#include "base/json/json.h"
#include "charts/live_chart.h"
#include "main_window/main_window.h"
#include "models/start_progress.h"
#include "ranks/rank_strip.h"
#include "run/read/run_directory.h"
#include "settings/settings.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/fake_dialogs.h"
#include "ui/fake_run.h"
#include "ui/wait_for.h"
#include "ui/window_fixture.h"
#include "words/changed_fields.h"

using namespace ringside;
using State = RunController::State;

namespace {

struct Fixture : WindowFixture {
    using WindowFixture::WindowFixture;
    const RankCard& card(std::size_t rank) { return window.findChild<RankStrip*>()->cards()[rank]; }
};

}  // namespace

TEST_CASE("while many ranks start, the page shows the connected and the missing ones") {
    RunModel model;
    const auto feed = [&](const Event& event) { model.feed(QByteArray::fromStdString(encode(event))); };
    CHECK(startProgress(model).title.isEmpty());
    model.setExpectedRun({64, "many"});
    CHECK(startProgress(model).title == "Starting 64 ranks");
    CHECK(startProgress(model).run == "many");
    RunStarted started;
    started.name = "many";
    started.worldSize = 4;
    feed(started);
    CHECK_FALSE(model.expected());
    CHECK(startProgress(model).title == "Starting 4 ranks, 0 connected");
    CHECK(startProgress(model).missingRanks == "Waiting: ranks 0, 1, 2, 3 have not started.");
    feed(RankState{0, RankStage::kLoading, "", 0, 0});
    feed(RankState{1, RankStage::kConnecting, "", 0, 0});
    feed(RankState{2, RankStage::kConnecting, "", 0, 0});
    CHECK(startProgress(model).title == "Starting 4 ranks, 2 connected");
    CHECK(startProgress(model).missingRanks == "Waiting: 1 rank loads the data; rank 3 has not started.");
    for (int rank = 0; rank < 4; ++rank) feed(RankState{rank, RankStage::kConnecting, "", 0, 0});
    CHECK(startProgress(model).missingRanks == "All ranks are connected and receive the initial weights.");
    for (int rank = 0; rank < 4; ++rank) feed(RankState{rank, RankStage::kTraining, "", 0, 0});
    CHECK(startProgress(model).missingRanks == "All ranks are training: waiting until the first step ends.");
    CHECK(startProgress(model).title == "4 ranks connected, first step");
    RunEnded ended;
    ended.state = RunOutcome::kFailed;
    feed(ended);
    CHECK(startProgress(model).title.isEmpty());
}

TEST_CASE("the previous run is hidden while the next one starts, and shown again if it is refused") {
    Fixture f("finishes");
    f.trigger("runAction");
    REQUIRE(waitFor([&] { return f.state() == State::Finished; }));
    f.fake.setMode("refuses");
    f.trigger("runAction");
    REQUIRE(f.state() == State::Starting);
    CHECK(f.card(0).mark == "starting");
    CHECK(f.find<QLabel>("trainingEmptyLabel")->isVisible());
    CHECK(f.find<QLabel>("trainingEmptyLabel")->text() == "Starting 4 ranks");
    CHECK(f.find<QLabel>("trainingEmptyHintLabel")->text().startsWith("digits-mlp\n"));
    REQUIRE(waitFor([&] { return f.state() == State::Failed; }));
    CHECK_FALSE(f.window.run().expected());
    CHECK(f.window.run().data().started());
    CHECK(f.card(0).mark != "starting");
}

TEST_CASE("differences between the form and the live run are shown until they agree again") {
    Fixture f("lives");
    f.trigger("runAction");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    auto* note = f.find<QLabel>("changesLabel");
    CHECK(note->isHidden());
    const RunConfig before = f.window.experiment().config();
    RunConfig config = before;
    config.parallel.worldSize = 8;
    config.optimizer.lr = 0.5;
    f.window.experiment().edit(config, "parallel.world_size");
    CHECK_FALSE(note->isHidden());
    CHECK(note->text() ==
          "These changes apply to the next run: World size, Learning rate. The live run keeps its settings.");
    f.window.experiment().edit(before, "parallel.world_size");
    CHECK(note->isHidden());
    f.window.experiment().edit(config, "parallel.world_size");
    f.trigger("stopAction");
    REQUIRE(waitFor([&] { return f.state() == State::Stopped; }));
    CHECK(note->text() == "The form differs from the experiment of the run on screen in: World size, Learning rate.");
    CHECK(note->property("tone").toString().isEmpty());
}

TEST_CASE("changes that a live run accepts can be applied now") {
    Fixture f("obeys");
    f.trigger("runAction");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    auto* apply = f.find<QPushButton>("applyNowButton");
    CHECK(apply->isHidden());
    RunConfig config = f.window.experiment().config();
    config.parallel.worldSize = 8;
    f.window.experiment().edit(config, "parallel.world_size");
    CHECK(apply->isHidden());  // hidden, because a live run does not accept this change
    config.optimizer.lr = 0.5;
    f.window.experiment().edit(config, "optimizer.lr");
    CHECK_FALSE(apply->isHidden());
    CHECK(apply->text() == "Apply learning rate now");
    apply->click();
    CHECK(waitFor([&] { return f.fake.read("control").contains(R"({"kind":"lr","value":0.5})"); }));
    CHECK(apply->isHidden());
    CHECK(f.find<QLabel>("changesLabel")->text().startsWith("These changes apply to the next run: World size."));
    config.training.epochs = 20;
    f.window.experiment().edit(config, "training.epochs");
    CHECK(apply->text() == "Apply epochs now");
    apply->click();
    CHECK(waitFor([&] { return f.fake.read("control").contains(R"({"kind":"epochs","value":20.0})"); }));
}

TEST_CASE("the form is compared with the learning rate that a command from elsewhere has set") {
    Fixture f("obeys");
    f.trigger("runAction");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    auto* apply = f.find<QPushButton>("applyNowButton");
    f.feed(Controlled{.command = ControlKind::kLearningRate, .value = 0.5, .step = 3});
    REQUIRE(waitFor([&] { return !apply->isHidden(); }));
    CHECK(apply->text() == "Apply learning rate now");
    RunConfig config = f.window.experiment().config();
    const double configured = config.optimizer.lr;
    config.optimizer.lr = 0.5;
    f.window.experiment().edit(config, "optimizer.lr");
    CHECK(apply->isHidden());
    config.optimizer.lr = configured;
    f.window.experiment().edit(config, "optimizer.lr");
    REQUIRE_FALSE(apply->isHidden());
    apply->click();
    CHECK(waitFor([&] { return f.fake.read("control").contains(R"({"kind":"lr","value":0.1})"); }));
    CHECK(apply->isHidden());
}

TEST_CASE("a new experiment removes the previous run") {
    Fixture f("finishes");
    RunEnded ended;
    ended.state = RunOutcome::kFailed;
    ended.exitCode = 12;
    ended.verdict = "rank 1 died";
    ended.firstFailedRank = 1;
    f.fake.write("end.jsonl", encode(RankState{1, RankStage::kFailed, "", 0, 0}) + encode(ended));
    f.trigger("runAction");
    REQUIRE(waitFor([&] { return f.state() == State::Failed; }));
    REQUIRE(f.card(1).tone == RankCard::Tone::Danger);
    f.trigger("newAction");
    CHECK(f.state() == State::Idle);
    CHECK(f.card(1).tone == RankCard::Tone::Plain);
    CHECK(f.card(1).mark == "ready");
    CHECK_FALSE(f.window.run().data().started());
    CHECK_FALSE(f.find<QAction>("resumeAction")->isEnabled());
}

TEST_CASE("a live run outlives a new experiment in the form") {
    Fixture f("lives");
    f.trigger("runAction");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    f.trigger("newAction");
    CHECK(f.state() == State::Running);
    CHECK(f.window.run().data().started());
}

TEST_CASE("a stopped run is offered by name at the next start, and Resume continues it") {
    Fixture f("finishes");
    const QString run = f.fake.folder.filePath("runs/one");
    REQUIRE(QDir().mkpath(run + "/checkpoints/step-00000040"));
    f.fake.write("runs/one/summary.json", R"({"state": "stopped", "steps": 40})");
    f.fake.write("runs/one/config.json", R"({"version": 1, "name": "evening"})");
    f.fake.write("runs/one/telemetry.jsonl", "");
    f.fake.write("end.jsonl", encode(CheckpointSaved{40, "checkpoints/step-00000040", 2}) +
                                  FakeRun::end(RunOutcome::kStopped, 20, "stopped by request after step 40"));
    f.settings.set(settings::kLastRun, run);
    f.window.restore();
    CHECK(f.window.noticeText() == "evening was stopped after step 40; its checkpoint is kept.");
    auto* action = f.find<QPushButton>("noticeActionButton");
    CHECK(action->text() == "Resume");
    action->click();
    REQUIRE(waitFor([&] { return !f.fake.read("config.json").isEmpty(); }));
    const Json sent = parseJson(f.fake.read("config.json").toStdString(), "config.json").value();
    CHECK(sent["training"]["resume"] == run.toStdString());

    f.settings.set(settings::kLastRun, f.fake.folder.filePath("gone"));
    f.window.restore();  // without anything to restore, it shows no message
}

TEST_CASE("the offer of a stopped run returns if its question about unsaved changes is cancelled") {
    Fixture f("finishes");
    const QString run = f.fake.folder.filePath("runs/one");
    REQUIRE(QDir().mkpath(run + "/checkpoints/step-00000040"));
    f.fake.write("runs/one/summary.json", R"({"state": "stopped", "steps": 40})");
    f.fake.write("runs/one/config.json", R"({"version": 1, "name": "evening"})");
    f.fake.write("runs/one/telemetry.jsonl", "");
    f.settings.set(settings::kLastRun, run);
    f.window.restore();
    f.type("worldSizeSpinBox", "6");
    f.dialogs.answer = 2;
    f.find<QPushButton>("noticeActionButton")->click();
    CHECK(f.dialogs.questions.size() == 1);
    CHECK(f.window.noticeText() == "evening was stopped after step 40; its checkpoint is kept.");
    CHECK_FALSE(f.find<QPushButton>("noticeActionButton")->isHidden());
}

TEST_CASE("differing fields are named with the labels of the form") {
    RunConfig a, b;
    CHECK(changedFields(a, b).isEmpty());
    b.sampler.dropLast = !b.sampler.dropLast;
    b.model.hidden = {3};
    CHECK(changedFields(a, b) == QStringList{"Hidden widths", "drop_last (sampler)"});
}

TEST_CASE("saving an experiment is reported") {
    Fixture f("finishes");
    f.dialogs.path = f.fake.folder.filePath("mine.ringside.json");
    f.trigger("saveAsAction");
    CHECK(f.window.statusBar()->currentMessage() == "Saved " + f.dialogs.path);
}

TEST_CASE("folded sections of the form stay folded at the next start") {
    const FakeRun fake("run");
    Theme theme;
    Settings settings(fake.folder.filePath("window.ini"));
    FakeDialogs dialogs;
    for (const bool folded : {false, true}) {
        MainWindow window({theme, settings, dialogs, FakeRun::program()});
        window.restore();
        window.show();
        auto* fold = window.findChild<QPushButton*>("modelFoldButton");
        REQUIRE(fold != nullptr);
        CHECK(fold->isChecked() == folded);
        CHECK_FALSE(window.findChild<QPushButton*>("dataFoldButton")->isChecked());
        fold->setChecked(true);
        window.close();
    }
}

TEST_CASE("the attach menu lists only live runs") {
    Fixture f("run");
    const QTemporaryDir runs;
    const auto at = [&](const char* name) { return std::filesystem::path(runs.filePath(name).toStdString()); };
    const Result<RunDirectory> live = RunDirectory::create(at("live"));
    REQUIRE(live);
    {
        const Result<RunDirectory> dead = RunDirectory::create(at("dead"));
        REQUIRE(dead);
    }
    f.settings.set(settings::kLastRun, runs.filePath("dead"));
    auto* menu = f.find<QMenu>("liveRunsMenu");
    Q_EMIT menu->aboutToShow();
    QStringList names;
    for (const QAction* action : menu->actions()) {
        if (!action->isSeparator()) names << action->text();
    }
    CHECK(names.contains("live"));
    CHECK_FALSE(names.contains("dead"));
}

TEST_CASE("a file dropped on a chart is opened like anywhere else") {
    Fixture f("run");
    RunConfig config;
    config.name = "dropped on a chart";
    const QString file = f.fake.folder.filePath("dropped.ringside.json");
    f.fake.write("dropped.ringside.json", config.toText(2));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QWidget* chart = f.find<LiveChart>("lossChart")->viewport();
    QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(chart, &enter);
    CHECK(enter.isAccepted());
    QDropEvent drop({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(chart, &drop);
    CHECK(waitFor([&] { return f.window.experiment().config().name == "dropped on a chart"; }));
}
