// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>

#include "controls/wrapped_text.h"
#include "ui/layout_faults.h"
#include "ui/watched_run.h"
#include "ui/window_fixture.h"
#include "watch/finding_row.h"
#include "watch/watch_dialog.h"
#include "watch/watched_script_panel.h"

using namespace ringside;

namespace {

struct WatchFixture : WindowFixture {
    WatchedRunFiles files{fake};
    QString before = QDir::currentPath();

    explicit WatchFixture(const char* mode = "finishes") : WindowFixture(mode) { QDir::setCurrent(fake.folder.path()); }
    ~WatchFixture() { QDir::setCurrent(before); }
    void open() {
        REQUIRE(window.openRun(files.directory()));
        REQUIRE(waitFor([this] { return state() == RunController::State::Finished; }));
        REQUIRE(waitFor([this] { return find<QLabel>("findingCountsLabel")->text().contains("passed"); }));
    }
    bool showsForm() { return find<QWidget>("experimentScrollArea")->isVisible(); }
    bool showsScript() { return find<QWidget>("watchedScriptPanel")->isVisible(); }
    QString text(const char* name) { return find<QLabel>(name)->text(); }
    WatchDialog& dialog(const char* script = "train.py") {
        window.files().open(fake.folder.filePath(script));
        return *find<WatchDialog>("watchDialog");
    }
    void chooseProgram() { find<QComboBox>("watchInterpreterCombo")->setEditText(FakeRun::program()); }
};

}  // namespace

TEST_CASE("a watched run replaces the form by the facts of the script") {
    WatchFixture fixture;
    fixture.open();
    CHECK(fixture.showsScript());
    CHECK_FALSE(fixture.showsForm());
    CHECK(fixture.text("watchedCommandLabel") == "/usr/bin/python3 train.py --epochs '2 or 3'");
    QStringList shown;
    for (const QLabel* label : fixture.find<QWidget>("watchedScriptPanel")->findChildren<QLabel*>())
        shown << label->text();
    CHECK(shown.contains("DistributedSampler, seed 5, shuffled"));
    fixture.trigger("newAction");
    CHECK_FALSE(fixture.showsScript());
    CHECK(fixture.showsForm());
}

TEST_CASE("findings are listed worst first, with the results of the other checks") {
    WatchFixture fixture;
    fixture.open();
    fixture.window.pages().show("training");
    CHECK(fixture.text("findingCountsLabel") == "1 mistake, 1 note, 3 checks passed, 2 skipped, 1 without a result");
    QList<FindingRow*> rows;
    for (FindingRow* row : fixture.window.findChildren<FindingRow*>())
        if (row->isVisible()) rows << row;
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]->toolTip() == "equal_indices: 320");
    CHECK(rows[0]->findChild<QLabel*>()->text() == "Rank 0 trains on the same order in epochs 1 and 2.");
    CHECK(rows[0]->findChild<QPushButton*>("findingLineButton")->text() == "train.py:2");
    CHECK(rows[0]->findChild<QPushButton*>("findingLineButton")->isEnabled());
    // The file does not exist on this computer.
    CHECK_FALSE(rows[1]->findChild<QPushButton*>("findingLineButton")->isEnabled());
    CHECK(fixture.text("passedChecksLabel")
              .contains("Rank&nbsp;and&nbsp;number&nbsp;of&nbsp;ranks&nbsp;of&nbsp;the&nbsp;sampler"));
    CHECK(fixture.text("passedChecksLabel").count(QChar(0x2713)) == 3);
    CHECK_FALSE(fixture.find<QLabel>("otherChecksLabel")->isVisible());
    fixture.press("otherChecksButton");
    CHECK(fixture.text("otherChecksLabel") ==
          "Without a result: No rank delays the other ranks, because one rank only\n"
          "Skipped: Batches arrive in time, because the run was too short\n"
          "Skipped: All ranks make progress, because the run was too short");
}

TEST_CASE("a finding has the menu of its ranks, and then of its steps and epochs") {
    WatchFixture fixture;
    fixture.open();
    fixture.window.pages().show("training");
    FindingRow* row = nullptr;
    for (FindingRow* one : fixture.window.findChildren<FindingRow*>())
        if (one->isVisible() && !row) row = one;
    REQUIRE(row != nullptr);
    CHECK(row->identitiesAt({}) == std::vector<Identity>{{IdentityKind::Rank, 0}});
    auto* text = row->findChild<QLabel*>();
    REQUIRE(text->text().startsWith("Rank 0 "));
    const QPoint place = text->mapTo(&fixture.window, QPoint(8, 8));
    QContextMenuEvent event(QContextMenuEvent::Mouse, text->mapFrom(&fixture.window, place),
                            fixture.window.mapToGlobal(place));
    QApplication::sendEvent(text, &event);  // the text must not open its own menu, so that the window can show its menu
    auto* menu = fixture.window.findChild<QMenu*>(QStringLiteral("identityMenu"));
    REQUIRE(menu != nullptr);
    CHECK(menu->actions().front()->text() == "Rank 0");

    Finding finding;
    finding.text = "Ranks 2 and 0 wait in step 1,147 for rank 3, and 4 ranks in all.";
    finding.evidence = R"({"ranks": [{"rank": 1, "steps": 6}, {"rank": 3}], "step": 1147, "epochs": [0, 2],
                           "samples": 10, "rank": -1})";
    CHECK(identitiesIn(finding) == std::vector<Identity>{{IdentityKind::Rank, 2},
                                                         {IdentityKind::Rank, 0},
                                                         {IdentityKind::Rank, 3},
                                                         {IdentityKind::Rank, 1},
                                                         {IdentityKind::Step, 1147},
                                                         {IdentityKind::Epoch, 0},
                                                         {IdentityKind::Epoch, 2}});
    finding.text = "Batches arrive late.";
    finding.evidence = R"({"ranks": 4, "steps": 20})";  // numbers of ranks and steps
    CHECK(identitiesIn(finding).empty());
}

TEST_CASE("a watched script can be stopped but not paused, as the tooltips state") {
    WatchFixture fixture("lives");
    REQUIRE(fixture.window.openRun(fixture.files.directory()));
    REQUIRE(waitFor([&] { return fixture.state() == RunController::State::Running; }));
    for (const char* name : {"pauseAction", "stepAction", "phaseAction"}) {
        CHECK_FALSE(fixture.find<QAction>(name)->isEnabled());
        CHECK(fixture.find<QAction>(name)->toolTip().startsWith("A watched script runs by itself"));
    }
    CHECK_FALSE(fixture.find<QAction>("runAction")->isEnabled());
    CHECK(fixture.find<QAction>("runAction")->toolTip().startsWith("A watched script is running"));
    CHECK(fixture.find<QAction>("stopAction")->isEnabled());
    CHECK_FALSE(fixture.find<QWidget>("runProgressBar")->isVisible());  // the length of the training is not known
    CHECK(fixture.text("timeLeftLabel").isEmpty());
    CHECK(fixture.text("findingCountsLabel") ==
          "1 mistake, 1 note, the script is checked every few seconds until it ends");
    CHECK(fixture.text("passedChecksLabel").isEmpty());
    fixture.window.close();
    REQUIRE(fixture.dialogs.questions.size() == 1);
    CHECK(fixture.dialogs.questions[0].answers[1] == "Stop the script");
    fixture.trigger("stopAction");
    CHECK(waitFor([&] { return fixture.state() == RunController::State::Stopped; }));
    CHECK(fixture.fake.read("control").contains("stop"));
}

TEST_CASE("a dropped script opens the dialog, which shows the command and starts it") {
    WatchFixture fixture;
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(fixture.fake.folder.filePath("train.py"))});
    QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&fixture.window, &enter);
    REQUIRE(enter.isAccepted());
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&fixture.window, &drop);
    auto& dialog = *fixture.find<WatchDialog>("watchDialog");
    CHECK(dialog.isVisible());
    CHECK_FALSE(dialog.isModal());
    fixture.chooseProgram();
    fixture.find<QComboBox>("watchLauncherCombo")->setCurrentIndex(1);
    fixture.find<QLineEdit>("watchArgumentsEdit")->setText("--epochs 2");
    CHECK(fixture.text("watchCommandLabel")
              .endsWith("--standalone --nproc_per_node 2 " + fixture.fake.folder.filePath("train.py") + " --epochs 2"));
    for (const int percent : {100, 150}) {
        fixture.theme.setTypePercent(percent);
        CHECK(fixture.find<QLabel>("watchCommandLabel")->font().pixelSize() == 12 * percent / 100);
    }
    fixture.theme.setTypePercent(100);
    fixture.press("watchCheckButton");
    REQUIRE(waitFor([&] { return fixture.state() == RunController::State::Finished; }));
    const QByteArray words = fixture.fake.read("watch_words");
    CHECK(words.contains(" --check -- "));
    CHECK(words.trimmed().endsWith("train.py --epochs 2"));
    CHECK(fixture.fake.read("watch_folder").trimmed() == fixture.fake.folder.path().toUtf8());
    CHECK(fixture.showsScript());
    const QString run = fixture.window.controller().runDirectory();
    QFile output(run + "/output.txt");
    REQUIRE(output.open(QIODevice::ReadOnly));
    CHECK(output.readAll() == "epoch 0: loss 2.3\n");
    CHECK(fixture.settings.get(settings::kRecentScripts).first() == fixture.fake.folder.filePath("train.py"));
}

TEST_CASE("a script that ends before its first step is explained in one sentence") {
    WatchFixture fixture("untrained");
    fixture.fake.write("output", "Traceback\nModuleNotFoundError: No module named 'torch'\n");
    fixture.dialog();
    fixture.chooseProgram();
    fixture.press("watchStartButton");
    REQUIRE(waitFor([&] { return fixture.state() == RunController::State::Failed; }));
    CHECK(fixture.window.noticeText() ==
          FakeRun::program() + " has no PyTorch: choose an interpreter with PyTorch in Run > Watch a script.");
    CHECK_FALSE(fixture.showsScript());                           // no run is shown
    CHECK(QDir(fixture.fake.folder.filePath("runs")).isEmpty());  // no empty run directory is left
}

TEST_CASE("after a start that fails, the earlier watched run stays complete on screen") {
    WatchFixture fixture;
    fixture.open();
    fixture.fake.setMode("untrained");
    fixture.fake.write("output", "KeyError: 'lr'\n");
    fixture.dialog();
    fixture.chooseProgram();
    fixture.press("watchStartButton");
    REQUIRE(waitFor([&] { return fixture.state() == RunController::State::Failed; }));
    CHECK(fixture.window.noticeText() == "train.py ended before its first training step: KeyError: 'lr'");
    CHECK(fixture.showsScript());
    CHECK(fixture.text("watchedCommandLabel") == "/usr/bin/python3 train.py --epochs '2 or 3'");
    CHECK(fixture.find<QPushButton>("watchAgainButton")->isEnabled());
}

TEST_CASE("Stop ends a script that has not trained a step yet") {
    WatchFixture fixture("imports");
    fixture.dialog();
    fixture.chooseProgram();
    fixture.press("watchStartButton");
    REQUIRE(waitFor([&] { return !fixture.fake.read("watch_pid").isEmpty(); }));
    CHECK(fixture.state() == RunController::State::Starting);
    CHECK(fixture.showsScript());
    CHECK(fixture.text("trainingEmptyLabel") == "Starting train.py");
    fixture.trigger("stopAction");
    REQUIRE(waitFor([&] { return fixture.state() == RunController::State::Stopped; }));
    CHECK(fixture.fake.read("watch_end") == "stopped\n");
}

TEST_CASE("a watched run fits the smallest window, with normal and larger type") {
    for (const int percent : {100, 150}) {
        WatchFixture fixture;
        fixture.theme.setTypePercent(percent);
        fixture.theme.setMode(Theme::Mode::Light);
        fixture.open();
        for (const char* page : {"training", "shards"}) {
            REQUIRE(fixture.window.pages().show(QLatin1String(page)));
            fixture.window.resize(960, 600);
            QStringList faults;
            waitFor([&] { return (faults = layoutFaults(fixture.window)).isEmpty(); });
            INFO(page << " at " << percent << " %\n" << faults.join(QLatin1Char('\n')).toStdString());
            CHECK(faults.isEmpty());
        }
    }
}

TEST_CASE("the facts of a script give back the height of a narrow window") {
    WatchFixture fixture;
    fixture.open();
    auto* panel = fixture.find<QWidget>("watchedScriptPanel");
    const auto sumOver = [&](auto heightOf) {
        int sum = 0;
        for (const WrappedText* text : panel->findChildren<WrappedText*>())
            if (text->isVisible()) sum += heightOf(*text);
        return sum;
    };
    const auto heights = [&] { return sumOver([](const WrappedText& text) { return text.height(); }); };
    // The layout has settled when each text has the height that it needs at its width.
    const auto needed = [&] {
        return sumOver([](const WrappedText& text) { return text.heightForWidth(text.width()); });
    };
    fixture.window.resize(1440, 900);
    REQUIRE(waitFor([&] { return fixture.window.width() == 1440 && heights() == needed(); }));
    const int before = heights();
    fixture.window.resize(960, 600);
    REQUIRE(waitFor([&] { return heights() > before; }));
    fixture.window.resize(1440, 900);
    CHECK(waitFor([&] { return heights() == before; }));
}

TEST_CASE("the dialog refuses a script that does not exist") {
    WatchFixture fixture;
    fixture.trigger("watchAction");
    const auto* problem = fixture.find<QLabel>("watchProblemLabel");
    CHECK(problem->text() == "Choose the script to watch.");
    CHECK(problem->property("tone").toString().isEmpty());
    fixture.find<QComboBox>("watchScriptCombo")->setEditText("/no/train.py");
    CHECK(problem->property("tone") == "danger");
    CHECK(fixture.text("watchProblemLabel") == "/no/train.py does not exist: choose another script.");
    CHECK_FALSE(fixture.find<QPushButton>("watchStartButton")->isEnabled());
    CHECK(fixture.find<QPushButton>("watchStartButton")->toolTip() == fixture.text("watchProblemLabel"));
    fixture.find<QComboBox>("watchLauncherCombo")->setCurrentIndex(static_cast<int>(WatchLauncher::kCommand));
    CHECK(problem->text().startsWith("Type the command"));
    CHECK(problem->property("tone").toString().isEmpty());
    fixture.find<QLineEdit>("watchCommandEdit")->setText("torchrunn train.py");
    CHECK(problem->text().startsWith("The program torchrunn was not found"));
    CHECK(problem->property("tone") == "danger");
}

TEST_CASE("the epochs of a script that is still running are counted as they come") {
    WatchFixture fixture("lives");
    RunConfig config;
    config.dataset.kind = DatasetKind::kExternal;
    config.training.epochs = 1;  // the number that the record knew at its beginning
    RunStarted started;
    started.worldSize = 1;
    started.stepsPerEpoch = 2;
    started.config = config.toText();
    fixture.fake.write("start.jsonl", encode(started));
    fixture.fake.write("config.json", config.toText());
    REQUIRE(fixture.window.openRun(fixture.files.directory()));
    REQUIRE(waitFor([&] { return fixture.text("epochLabel") == "1 of 1"; }));
    for (const int epoch : {0, 1, 2}) {
        StepsFrame frame;
        frame.epoch = epoch;
        for (const int step : {1, 2}) {
            frame.step.push_back(2 * epoch + step);
            frame.loss.push_back(1);
            frame.correct.push_back(0);
            frame.samples.push_back(4);
            frame.endUs.push_back(1000 * (2 * epoch + step));
            frame.gradientNorm.push_back(1);
        }
        fixture.feed(frame);
    }
    CHECK(waitFor([&] { return fixture.text("epochLabel").endsWith(" of 3"); }));
    CHECK(fixture.showsScript());
    CHECK(fixture.text("progressLabel") == "Epoch 3, step 6");
    CHECK_FALSE(fixture.find<QLabel>("changesLabel")->isVisible());  // the form has not been changed by the user
}

TEST_CASE("where PyTorch's plan is known the grid shows it, with the samples that were used") {
    WatchFixture fixture;
    fixture.fake.write("telemetry.jsonl", fixture.fake.read("start.jsonl").toStdString());
    fixture.open();
    fixture.window.pages().show("shards");
    const auto showsPlan = [&] { return fixture.find<QWidget>("gridView")->isVisible(); };
    REQUIRE(waitFor([&] { return fixture.window.plan().isWatchedPlan() && showsPlan(); }));
    const ShardPlan* plan = fixture.window.plan().plan();
    REQUIRE(plan != nullptr);
    // DistributedSampler of PyTorch 2.15 with seed 5: 103 samples, 35 for each of 3 ranks; rank 2 began with 76, 83, 86
    CHECK(plan->spec().datasetSize == 103);
    CHECK(plan->samplesOf(2) == 35);
    CHECK(std::vector<std::int64_t>{plan->index(2, 0), plan->index(2, 1), plan->index(2, 2)} ==
          std::vector<std::int64_t>{76, 83, 86});
    fixture.window.plan().setEpoch(1);
    CHECK(waitFor([&] {
        return fixture.text("runProgressLabel") ==
               "Epoch 2: 35 of 35 samples per rank used, each sample compared with the plan.";
    }));
    fixture.press("seenSamplesButton");
    CHECK(fixture.find<QWidget>("seenSamplesPanel")->isVisible());
    CHECK_FALSE(showsPlan());
    fixture.press("seenPlanButton");
    CHECK(showsPlan());
    fixture.trigger("newAction");
    CHECK_FALSE(fixture.find<QWidget>("seenPlanButton")->isVisible());
}

TEST_CASE("a sample that differs from PyTorch's plan turns the page red") {
    WatchFixture fixture;
    QByteArray lines = fixture.fake.read("start.jsonl");
    const qsizetype last = lines.lastIndexOf("\"kind\":\"indices\"");
    const qsizetype from = lines.indexOf("\"index\":[", last) + 9;
    const qsizetype to = lines.indexOf(']', from);
    lines.replace(from, to - from, "0" + QByteArray(",0").repeated(lines.mid(from, to - from).count(',')));
    fixture.fake.write("start.jsonl", lines.toStdString());
    fixture.fake.write("telemetry.jsonl", lines.toStdString());
    fixture.open();
    fixture.window.pages().show("shards");
    CHECK(waitFor([&] { return fixture.find<QWidget>("alarmBanner")->isVisible(); }));
}

TEST_CASE("without a known plan the samples are shown without a comparison") {
    WatchFixture fixture;
    const std::string other = WatchedRunFiles::recorded("accelerate_default");  // a RandomSampler
    QByteArray lines = fixture.fake.read("start.jsonl");
    lines = lines.left(lines.indexOf('\n') + 1) + QByteArray::fromStdString(other);
    fixture.fake.write("start.jsonl", lines.toStdString());
    fixture.fake.write("telemetry.jsonl", lines.toStdString());
    REQUIRE(fixture.window.openRun(fixture.files.directory()));
    fixture.window.pages().show("shards");
    REQUIRE(waitFor(
        [&] { return fixture.text("planComparedLabel").startsWith("The samples are shown as they were seen"); }));
    CHECK(fixture.find<QWidget>("seenSamplesPanel")->isVisible());
    CHECK_FALSE(fixture.find<QWidget>("seenPlanButton")->isVisible());
}

TEST_CASE("findings change while the script runs, and one that is withdrawn disappears") {
    WatchFixture fixture("lives");
    REQUIRE(fixture.window.openRun(fixture.files.directory()));
    REQUIRE(waitFor([&] { return fixture.text("findingCountsLabel").startsWith("1 mistake, 1 note"); }));
    Finding withdrawn;
    withdrawn.code = "set-epoch-missing";
    withdrawn.severity = Severity::kMistake;
    withdrawn.withdrawn = true;
    fixture.feed(withdrawn);
    CHECK(waitFor([&] { return fixture.text("findingCountsLabel").startsWith("1 note, "); }));
    Finding hang;
    hang.code = "hang";
    hang.severity = Severity::kMistake;
    hang.text = "Rank 1 is in no collective.";
    fixture.feed(hang);
    CHECK(waitFor([&] { return fixture.text("findingCountsLabel").startsWith("1 mistake, 1 note, "); }));
}
