// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDir>
#include <QDockWidget>

#include "experiment/experiment_form.h"
#include "main_window/actions/cluster_actions.h"
#include "main_window/session/run_experiment.h"
#include "ranks/rank_strip.h"
#include "ui/window_fixture.h"

using namespace ringside;
using State = RunController::State;

namespace {

struct RunAndForm : WindowFixture {
    using WindowFixture::WindowFixture;

    // Writes the run that is opened or followed. Its number of ranks differs from that in the form.
    void writeRun(const char* name, std::int64_t ranks) {
        RunConfig config;
        config.name = name;
        config.parallel.worldSize = ranks;
        RunStarted started;
        started.name = name;
        started.runDirectory = std::string("/runs/") + name + "-1";
        started.worldSize = static_cast<int>(ranks);
        started.wantedBackend = "auto";
        started.wantedDevice = "auto";
        started.config = config.toText();
        fake.write("start.jsonl", encode(started));
        fake.write("config.json", config.toText());
    }
    const RunConfig& form() { return window.experiment().config(); }
    std::size_t cards() { return find<RankStrip>("rankStripArea")->cards().size(); }
    QString text(const char* label) { return find<QLabel>(label)->text(); }
    void finish() {
        press("runButton");
        REQUIRE(waitFor([this] { return state() == State::Finished; }));
    }
};

}  // namespace

TEST_CASE("opening a run shows a question before it replaces an unsaved experiment") {
    RunAndForm f;
    f.writeRun("earlier", 3);
    f.type("worldSizeSpinBox", "6");
    SECTION("Cancel keeps it and opens nothing") {
        f.dialogs.answer = 2;
        REQUIRE(f.window.openRun(f.fake.folder.path()));
        CHECK(f.dialogs.questions.size() == 1);
        CHECK(f.state() == State::Idle);
        CHECK(f.form().parallel.worldSize == 6);
    }
    SECTION("Discard shows the run under its own name") {
        f.dialogs.answer = 1;
        REQUIRE(f.window.openRun(f.fake.folder.path()));
        REQUIRE(waitFor([&] { return f.form().name == "earlier"; }));
        CHECK(f.form().parallel.worldSize == 3);
        CHECK(f.text("fileNameLabel") == "earlier");
        CHECK_FALSE(f.window.experiment().isModified());
    }
    SECTION("a run that is deleted before the answer is reported, and the run on screen stays") {
        f.finish();
        f.type("worldSizeSpinBox", "5");
        RunAndForm other;
        other.writeRun("later", 2);
        f.dialogs.answer = 1;
        f.dialogs.beforeAnswer = [&] { QDir(other.fake.folder.path()).removeRecursively(); };
        f.window.openRun(other.fake.folder.path());
        CHECK(f.dialogs.questions.size() == 1);
        CHECK(f.state() == State::Finished);
        CHECK(f.form().parallel.worldSize == 5);
        CHECK(f.text("noticeLabel").contains(other.fake.folder.path()));
    }
    SECTION("Save saves it first") {
        f.dialogs.answer = 0;
        f.dialogs.path = f.fake.folder.filePath("mine.ringside.json");
        REQUIRE(f.window.openRun(f.fake.folder.path()));
        REQUIRE(waitFor([&] { return f.form().name == "earlier"; }));
        CHECK(f.fake.read("mine.ringside.json").contains("\"world_size\": 6"));
    }
}

TEST_CASE("opening a run of the unsaved experiment itself shows no question and loses nothing") {
    RunAndForm f;
    f.writeRun("earlier", 6);
    f.type("worldSizeSpinBox", "6");
    REQUIRE(f.window.openRun(f.fake.folder.path()));
    CHECK(f.dialogs.questions.isEmpty());
    REQUIRE(waitFor([&] { return f.state() == State::Finished; }));
    CHECK(f.window.experiment().isModified());
    CHECK(f.cards() == 6);
}

TEST_CASE("after a run of other computers the cards are its ranks, and the form shows the differences") {
    RunAndForm f;
    f.writeRun("class", 2);
    Q_EMIT f.window.findChild<ClusterActions*>()->runBegan(f.fake.folder.path());
    REQUIRE(waitFor([&] { return f.state() == State::Finished; }));
    CHECK(f.form().parallel.worldSize == 4);
    CHECK(f.cards() == 2);
    CHECK(f.text("rankSourceLabel") == "Run class-1: finished");
    CHECK(f.text("changesLabel") == "The form differs from the experiment of the run on screen in: World size.");
    CHECK(f.text("progressLabel").startsWith("Finished"));
}

TEST_CASE("after a change of the form the cards follow the form until the change is undone") {
    RunAndForm f;
    f.finish();
    CHECK(f.text("rankSourceLabel").endsWith(": finished"));
    CHECK_FALSE(f.find<QLabel>("changesLabel")->isVisible());
    f.type("batchSizeSpinBox", "16");
    CHECK(f.text("rankSourceLabel") == "Ranks planned by the form, not started");
    CHECK(f.find<RankStrip>("rankStripArea")->cards()[0].mark == "ready");
    CHECK(f.text("progressLabel").startsWith("Last run: Finished"));
    CHECK(f.text("changesLabel").endsWith("differs from the experiment of the run on screen in: Batch size per rank."));
    f.trigger("undoAction");
    CHECK(f.text("rankSourceLabel").endsWith(": finished"));
    CHECK(f.text("progressLabel").startsWith("Finished"));
}

TEST_CASE("saving an experiment under a name keeps its run") {
    RunAndForm f;
    f.finish();
    f.dialogs.path = f.fake.folder.filePath("mine.ringside.json");
    f.trigger("saveAction");
    CHECK(f.text("rankSourceLabel").endsWith(": finished"));
}

TEST_CASE("a new experiment shows nothing of the previous run") {
    RunAndForm f("lives");
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    f.feed(CheckpointSaved{});
    f.press("stopButton");
    REQUIRE(waitFor([&] { return f.find<QLabel>("noticeLabel")->isVisible(); }));
    f.window.plan().setEpoch(9);
    f.trigger("newAction");
    CHECK_FALSE(f.find<QLabel>("noticeLabel")->isVisible());
    CHECK(f.window.plan().epoch() == 0);
    CHECK(f.text("rankSourceLabel") == "Ranks planned by the form, not started");
    CHECK(f.text("progressLabel") == "Ready to run");
}

TEST_CASE("the shortcut of Run focuses the field that disables Run, also in a folded section and a closed form") {
    RunAndForm f;
    f.window.activateWindow();
    f.type("worldSizeSpinBox", "0");
    f.window.centralWidget()->setFocus();
    f.find<QDockWidget>("experimentDock")->hide();
    QTest::keyClick(&f.window, Qt::Key_R, Qt::ControlModifier);
    CHECK(f.find<QDockWidget>("experimentDock")->isVisible());
    CHECK(f.window.focusWidget() == f.find<NumberSpinBox>("worldSizeSpinBox"));
    CHECK(f.state() == State::Idle);
    f.trigger("undoAction");
    QTest::keyClick(&f.window, Qt::Key_R, Qt::ControlModifier);  // runs again
    CHECK(waitFor([&] { return f.state() == State::Finished; }));
}

TEST_CASE("the form scrolls to a setting whose section was folded") {
    RunAndForm f;
    auto* form = f.window.findChild<ExperimentForm*>();
    REQUIRE(form != nullptr);
    f.window.resize(1000, 620);
    QApplication::processEvents();
    for (const char* path : {"pitfalls.slow_rank", "dataset.kind", "training.reduction"}) {
        INFO(path);
        REQUIRE(form->focusSetting(path));
        const QWidget* control = QApplication::focusWidget();
        REQUIRE(control != nullptr);
        CHECK_FALSE(control->visibleRegion().isEmpty());
        CHECK(control->visibleRegion().boundingRect().height() == control->height());
    }
}

TEST_CASE("the experiment of a run is read as configured, and compared without values added at the start") {
    RunConfig config;
    config.parallel.strategy = StrategyKind::kDataParallel;
    config.parallel.worldSize = 3;
    RunStarted run;
    RunConfig resolved = config;
    resolved.parallel.worldSize = 1;
    resolved.parallel.devices = 3;
    resolved.parallel.backend = CollectiveBackend::kShm;
    resolved.parallel.device = DeviceChoice::kCpu;
    resolved.training.resume = "/runs/before";
    run.config = resolved.toText();
    run.wantedBackend = "auto";
    run.wantedDevice = "auto";
    const std::optional<RunConfig> read = experimentOf(run);
    REQUIRE(read);
    CHECK(read->parallel.worldSize == 3);
    CHECK(read->parallel.backend == CollectiveBackend::kAuto);
    CHECK(isSameExperiment(*read, config));
    config.optimizer.lr = 7;
    CHECK_FALSE(isSameExperiment(*read, config));
    run.config = "{";
    CHECK_FALSE(experimentOf(run));
}
