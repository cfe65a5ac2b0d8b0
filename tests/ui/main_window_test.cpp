// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/main_window.h"

#include <QApplication>
#include <QFileDialog>
#include <QListWidget>
#include <QScrollBar>
#include <QSlider>
#include <QStatusBar>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

#include "commands/command_palette.h"
#include "commands/command_search.h"
#include "dialogs/qt_dialogs.h"
#include "experiment/number_spin_box.h"
#include "main_window/pages/page_table.h"
#include "settings/settings.h"
#include "status/status_panel.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/fake_dialogs.h"
#include "ui/fake_run.h"
#include "ui/wait_for.h"
#include "ui/window_fixture.h"

using namespace ringside;
using State = RunController::State;

namespace {

using Fixture = WindowFixture;

}  // namespace

TEST_CASE("a message in the status bar hides the status of the run, also after a change of the type size") {
    WindowFixture f;
    auto* status = f.window.findChild<StatusPanel*>();
    REQUIRE(status->isVisible());
    for (int step = 0; step < 4; ++step) f.trigger("largerTypeAction");
    CHECK(waitFor([&] { return f.window.statusBar()->currentMessage().startsWith("Type size: "); }));
    QTest::qWait(50);  // the status bar adopts its new height
    CHECK_FALSE(status->isVisible());
    f.window.statusBar()->clearMessage();
    CHECK(status->isVisible());
    f.trigger("normalTypeAction");
}

TEST_CASE("the window opens with the digits and an enabled Run button") {
    Fixture f;
    CHECK(f.find<QPushButton>("runButton")->isEnabled());
    CHECK(!f.find<QPushButton>("stopButton")->isEnabled());
    CHECK(f.find<QLabel>("runReasonLabel")->text().isEmpty());
    CHECK(f.find<QLabel>("progressLabel")->text() == "Ready to run");
}

TEST_CASE("the first example assigns ten samples to four ranks") {
    Fixture f;
    f.trigger("tenExampleAction");
    REQUIRE(
        waitFor([&] { return f.window.experiment().data() && f.window.experiment().data()->training->size() == 10; }));
    CHECK(f.window.experiment().config().parallel.worldSize == 4);
    CHECK(f.find<QPushButton>("runButton")->isEnabled());
    f.trigger("setEpochExampleAction");
    REQUIRE(waitFor(
        [&] { return f.window.experiment().data() && f.window.experiment().data()->training->size() == 1437; }));
    CHECK_FALSE(f.window.experiment().config().sampler.setEpoch);
}

TEST_CASE("Run is disabled with a visible reason while a value is impossible") {
    Fixture f;
    f.type("worldSizeSpinBox", "0");
    auto* run = f.find<QPushButton>("runButton");
    CHECK(!run->isEnabled());
    CHECK(f.find<QLabel>("runReasonLabel")->text().startsWith("World size is 0"));
    CHECK(run->toolTip() == f.find<QLabel>("runReasonLabel")->text());
    f.trigger("undoAction");
    CHECK(run->isEnabled());
}

TEST_CASE("the status bar does not show an impossible experiment as ready") {
    Fixture f;
    CHECK(f.find<QLabel>("progressLabel")->text() == "Ready to run");
    RunConfig config;
    config.parallel.worldSize = 0;
    f.window.experiment().edit(config, "parallel.world_size");
    CHECK(f.find<QLabel>("progressLabel")->text() == "Not ready to run: see the problems in the form");
}

TEST_CASE("Run trains, and the status bar shows the result") {
    Fixture f;
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.state() == State::Finished; }));
    CHECK(f.find<QLabel>("progressLabel")->text().startsWith("Finished"));
    CHECK(f.find<QPushButton>("runDirectoryButton")->isVisible());
    CHECK(f.find<QPushButton>("runButton")->isEnabled());
}

TEST_CASE("Run keeps a page that shows the run, and switches from the shards to the curves") {
    for (const char* page : {"shards", "training", "timeline", "strategy", "replicas"}) {
        INFO(page);
        Fixture f;
        REQUIRE(f.window.pages().show(QString::fromLatin1(page)));
        f.press("runButton");
        REQUIRE(waitFor([&] { return f.state() == State::Finished; }));
        const std::string seen = f.window.pages().current().name().toStdString();
        CHECK(seen == (page == std::string("shards") ? "training" : page));
    }
}

TEST_CASE("Stop stops the run, and Run is disabled during a run") {
    Fixture f("lives");
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    CHECK(!f.find<QPushButton>("runButton")->isEnabled());
    CHECK(f.find<QPushButton>("runButton")->toolTip().contains("stop it first"));
    f.press("stopButton");
    REQUIRE(waitFor([&] { return f.state() == State::Stopped; }));
}

TEST_CASE("a failed start is reported above the pages") {
    Fixture f("refuses");
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.state() == State::Failed; }));
    CHECK(f.find<QLabel>("noticeLabel")->isVisible());
    CHECK(f.find<QLabel>("noticeLabel")->text().contains("no space left"));
}

TEST_CASE("closing with a live run shows a question, and Cancel changes nothing") {
    Fixture f("lives");
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    f.dialogs.answer = 2;
    f.window.close();
    REQUIRE(f.dialogs.questions.size() == 1);
    CHECK(f.dialogs.questions[0].answers == QStringList{"Keep running", "Stop and save", "Cancel"});
    CHECK(f.window.isVisible());
    CHECK(f.state() == State::Running);
}

TEST_CASE("closing the window and keeping the run does not stop it; the window stores its directory") {
    Fixture f("lives");
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    f.dialogs.answer = 0;
    f.window.close();
    REQUIRE(waitFor([&] { return !f.window.isVisible(); }));
    CHECK(f.fake.read("control").isEmpty());
    CHECK(f.settings.get(settings::kLastRun) == f.fake.folder.path());
}

TEST_CASE("closing and keeping a starting run waits until it has started") {
    Fixture f("lives");
    f.press("runButton");
    f.dialogs.answer = 0;
    f.window.close();
    CHECK(f.window.isVisible());
    REQUIRE(waitFor([&] { return !f.window.isVisible(); }));
    CHECK_FALSE(f.fake.read("config.json").isEmpty());
    CHECK(f.fake.read("control").isEmpty());
    CHECK(f.settings.get(settings::kLastRun) == f.fake.folder.path());
}

TEST_CASE("closing and keeping a run that cannot start shows the failure") {
    Fixture f("refuses");
    f.press("runButton");
    f.dialogs.answer = 0;
    f.window.close();
    REQUIRE(waitFor([&] { return f.state() == State::Failed; }));
    bool later = false;  // true once an event after the requested close was handled
    QMetaObject::invokeMethod(
        &f.window, [&] { later = true; }, Qt::QueuedConnection);
    REQUIRE(waitFor([&] { return later; }));
    CHECK(f.window.isVisible());
    CHECK(f.find<QLabel>("noticeLabel")->text().contains("no space left"));
}

TEST_CASE("closing and stopping closes the window when the run has saved") {
    Fixture f("lives");
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.state() == State::Running; }));
    f.dialogs.answer = 1;
    f.window.close();
    CHECK(f.window.isVisible());
    REQUIRE(waitFor([&] { return !f.window.isVisible(); }));
    CHECK(f.state() == State::Stopped);
}

TEST_CASE("an experiment is saved and opened again as it was") {
    Fixture f;
    f.type("worldSizeSpinBox", "6");
    const QString saved = f.fake.folder.filePath("mine.ringside.json");
    f.dialogs.path = saved;
    f.trigger("saveAction");
    CHECK(f.window.experiment().filePath() == saved);
    CHECK(!f.window.experiment().isModified());
    CHECK(f.find<QLabel>("fileNameLabel")->text() == "mine.ringside.json");
    f.trigger("newAction");
    CHECK(f.window.experiment().config().parallel.worldSize == 4);
    f.trigger("openAction");
    CHECK(f.window.experiment().config().parallel.worldSize == 6);
    CHECK(f.window.experiment().config().name == "mine");
    CHECK(f.settings.get(settings::kRecentFiles) == QStringList{saved});
}

TEST_CASE("an experiment is named after its file, which may contain dots") {
    Fixture f;
    f.dialogs.path = f.fake.folder.filePath("lr-0.1.ringside.json");
    f.trigger("saveAction");
    CHECK(f.window.experiment().config().name == "lr-0.1");
    f.dialogs.path = f.fake.folder.filePath("lr-0.2");
    f.trigger("saveAsAction");
    CHECK(f.window.experiment().config().name == "lr-0.2");
}

TEST_CASE("an invalid experiment file is reported, and nothing is lost") {
    Fixture f;
    f.type("worldSizeSpinBox", "6");
    f.fake.write("bad.json", "{\"version\": 1, \"parallel\": {\"wrld_size\": 2}}");
    f.dialogs.answer = 1;
    f.window.files().open(f.fake.folder.filePath("bad.json"));
    CHECK(f.find<QLabel>("noticeLabel")->text().contains("wrld_size"));
    CHECK(f.find<QLabel>("noticeLabel")->text().contains("world_size"));
    CHECK(f.window.experiment().config().parallel.worldSize == 6);
    f.window.files().open("/nowhere/at/all.json");
    CHECK(f.find<QLabel>("noticeLabel")->text().contains("/nowhere/at/all.json does not exist"));
}

TEST_CASE("opening a file with unsaved changes shows a question") {
    Fixture f;
    f.type("worldSizeSpinBox", "6");
    f.dialogs.answer = 2;
    f.trigger("newAction");
    CHECK(f.dialogs.questions.size() == 1);
    CHECK(f.window.experiment().config().parallel.worldSize == 6);
}

TEST_CASE("a failure to open disappears after a successful one") {
    Fixture f;
    f.fake.write("broken.json", "{");
    f.dialogs.path = f.fake.folder.filePath("broken.json");
    f.trigger("openAction");
    REQUIRE(f.find<QLabel>("noticeLabel")->isVisible());
    CHECK(f.find<QLabel>("noticeLabel")->text().contains("Not opened"));
    f.trigger("newAction");
    CHECK_FALSE(f.find<QLabel>("noticeLabel")->isVisible());
}

TEST_CASE("unsaved changes are first saved under a new name, then the new experiment opens") {
    Fixture f;
    f.type("worldSizeSpinBox", "6");
    f.dialogs.answer = 0;
    f.dialogs.path = f.fake.folder.filePath("kept.ringside.json");
    f.trigger("newAction");
    CHECK(f.fake.read("kept.ringside.json").contains("\"world_size\": 6"));
    CHECK(f.window.experiment().config().parallel.worldSize == 4);
    f.type("worldSizeSpinBox", "8");
    f.dialogs.path = f.fake.folder.filePath("no/such/folder/kept");
    f.trigger("newAction");
    // The experiment is kept, because it could not be saved.
    CHECK(f.window.experiment().config().parallel.worldSize == 8);
}

TEST_CASE("the dialog adds a missing file suffix before it offers to replace a file") {
    const QTemporaryDir folder;
    QtDialogs dialogs;
    QString taken;
    dialogs.saveFile("Save", folder.filePath("old.ringside.json"), "Experiments (*.ringside.json)",
                     [&](const QString& path) { taken = path; });
    QFileDialog* dialog = nullptr;
    for (QWidget* top : QApplication::topLevelWidgets()) {
        if (auto* found = qobject_cast<QFileDialog*>(top)) dialog = found;
    }
    REQUIRE(dialog != nullptr);
    CHECK(dialog->defaultSuffix() == "ringside.json");
    auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
    REQUIRE(name != nullptr);
    name->setText("mine");
    QTest::keyClick(name, Qt::Key_Return);
    REQUIRE(waitFor([&] { return !taken.isEmpty(); }));
    CHECK(taken == folder.filePath("mine.ringside.json"));
}

TEST_CASE("opening a run removes the notice about the previous one") {
    Fixture f("refuses");
    f.press("runButton");
    REQUIRE(waitFor([&] { return f.find<QLabel>("noticeLabel")->isVisible(); }));
    f.fake.setMode("finishes");
    REQUIRE(f.window.openRun(f.fake.folder.path()));
    REQUIRE(waitFor([&] { return f.state() == State::Finished; }));
    CHECK_FALSE(f.find<QLabel>("noticeLabel")->isVisible());
}

TEST_CASE("opening a folder without a run is reported") {
    Fixture f;
    f.dialogs.path = f.fake.folder.path();
    f.trigger("openRunAction");
    CHECK(f.find<QLabel>("noticeLabel")->isVisible());
    CHECK(f.find<QLabel>("noticeLabel")->text().contains(f.fake.folder.path()));
}

TEST_CASE("opening a file that a run has recorded opens the run") {
    Fixture f("finishes");
    f.fake.write("telemetry.jsonl", f.fake.read("start.jsonl").toStdString());
    f.fake.write("config.json", RunConfig().toText());
    f.dialogs.path = f.fake.folder.filePath("telemetry.jsonl");
    f.trigger("openAction");
    CHECK(waitFor([&] { return f.state() == State::Finished; }));
    CHECK(f.window.controller().runDirectory() == f.fake.folder.path());
}

TEST_CASE("opening a finished run shows its experiment, with auto where it was, without unsaved changes") {
    Fixture f;
    RunConfig config;
    config.name = "earlier";
    config.parallel.worldSize = 3;
    config.parallel.backend = CollectiveBackend::kShm;
    config.parallel.device = DeviceChoice::kCpu;
    RunStarted started;
    started.worldSize = 3;
    started.wantedBackend = "auto";
    started.wantedDevice = "auto";
    started.config = config.toText();
    f.fake.write("start.jsonl", encode(started));
    f.fake.write("config.json", config.toText());
    REQUIRE(f.window.openRun(f.fake.folder.path()));
    REQUIRE(waitFor([&] { return f.window.experiment().config().name == "earlier"; }));
    CHECK(f.window.experiment().config().parallel.worldSize == 3);
    CHECK(f.window.experiment().config().parallel.backend == CollectiveBackend::kAuto);
    CHECK(f.window.experiment().config().parallel.device == DeviceChoice::kAuto);
    CHECK_FALSE(f.window.experiment().isModified());
}

TEST_CASE("opening a failed run shows its failure above the pages") {
    Fixture f;
    RunConfig config;
    config.name = "earlier";
    config.parallel.worldSize = 3;
    RunStarted started;
    started.worldSize = 3;
    started.config = config.toText();
    f.fake.write("start.jsonl", encode(started));
    f.fake.write("end.jsonl", FakeRun::end(RunOutcome::kFailed, 12, "rank 1 was killed"));
    f.fake.write("config.json", config.toText());
    REQUIRE(f.window.openRun(f.fake.folder.path()));
    REQUIRE(waitFor([&] { return f.state() == State::Failed; }));
    REQUIRE(waitFor([&] { return f.window.experiment().config().name == "earlier"; }));
    CHECK(f.find<QLabel>("noticeLabel")->isVisible());
    CHECK(f.find<QLabel>("noticeLabel")->text() == "rank 1 was killed");
}

TEST_CASE("a failed run with traced steps offers to show the last of them") {
    Fixture f;
    RunConfig config;
    config.parallel.worldSize = 2;
    RunStarted started;
    started.worldSize = 2;
    started.config = config.toText();
    std::string lines = encode(started);
    for (int rank = 0; rank < 2; ++rank) {
        StepTrace trace;
        trace.rank = rank;
        trace.step = 1;
        trace.lengthNs = 1'000'000;
        trace.phase = {static_cast<std::int64_t>(Phase::kForward)};
        trace.at = trace.cpu = {0};
        lines += encode(trace);
    }
    f.fake.write("start.jsonl", lines);
    f.fake.write("end.jsonl", FakeRun::end(RunOutcome::kFailed, 13, "rank 1 hung"));
    f.fake.write("config.json", config.toText());
    REQUIRE(f.window.openRun(f.fake.folder.path()));
    REQUIRE(waitFor([&] { return f.state() == State::Failed; }));
    CHECK(f.window.pages().current().name() != "timeline");
    auto* action = f.find<QPushButton>("noticeActionButton");
    CHECK(action->text() == "Show the last steps");
    action->click();
    CHECK(f.window.pages().current().name() == "timeline");
}

TEST_CASE("the theme button changes every colour and is remembered") {
    Fixture f;
    f.press("themeButton");
    CHECK(f.theme.mode() == Theme::Mode::Dark);
    CHECK(QApplication::palette().color(QPalette::Window) == QColor(0x14171C));
    CHECK(f.settings.get(settings::kTheme) == "dark");
    f.press("themeButton");
    CHECK(QApplication::palette().color(QPalette::Window) == QColor(0xF6F7F9));
}

TEST_CASE("typed values are restored after the window was closed") {
    FakeRun fake("finishes");
    Theme theme;
    FakeDialogs dialogs;
    Settings settings(fake.folder.filePath("window.ini"));
    {
        MainWindow window({theme, settings, dialogs, FakeRun::program()});
        RunConfig config = window.experiment().config();
        config.loader.batchSize = 48;
        window.experiment().edit(config, "loader.batch_size");
        window.close();
    }
    MainWindow window({theme, settings, dialogs, FakeRun::program()});
    window.restore();
    CHECK(window.experiment().config().loader.batchSize == 48);
    CHECK(window.experiment().isModified());
}

TEST_CASE("changes to a saved experiment can be undone to the saved state, also in the next session") {
    FakeRun fake("finishes");
    Theme theme;
    FakeDialogs dialogs;
    Settings settings(fake.folder.filePath("window.ini"));
    dialogs.path = fake.folder.filePath("six.ringside.json");
    {
        MainWindow window({theme, settings, dialogs, FakeRun::program()});
        RunConfig config = window.experiment().config();
        config.parallel.worldSize = 6;
        window.experiment().edit(config, "parallel.world_size");
        window.files().save();
        config = window.experiment().config();
        config.parallel.worldSize = 8;
        window.experiment().edit(config, "parallel.world_size");
        window.close();
    }
    MainWindow window({theme, settings, dialogs, FakeRun::program()});
    window.restore();
    CHECK(window.experiment().config().parallel.worldSize == 8);
    window.experiment().undoStack().undo();
    CHECK(window.experiment().config().parallel.worldSize == 6);
    CHECK_FALSE(window.experiment().isModified());
}

TEST_CASE("the epoch slider moves the epoch cursor") {
    Fixture f;
    auto* slider = f.find<QSlider>("epochSlider");
    CHECK(slider->maximum() == 9);
    slider->setValue(2);
    CHECK(f.window.plan().epoch() == 2);
    CHECK(f.find<QLabel>("epochLabel")->text() == "3 of 10");
    f.trigger("nextEpochAction");
    CHECK(slider->value() == 3);
}

TEST_CASE("the epoch slider moves to a clicked position and follows the pointer") {
    Fixture f;
    auto* slider = f.find<QSlider>("epochSlider");
    const int middle = slider->height() / 2;
    QTest::mouseClick(slider, Qt::LeftButton, {}, {slider->width() - 1, middle});
    CHECK(f.window.plan().epoch() == 9);
    QTest::mouseClick(slider, Qt::LeftButton, {}, {slider->width() / 2 + 4, middle});  // epoch 5 is past the middle
    CHECK(f.window.plan().epoch() == 5);
    QTest::mousePress(slider, Qt::LeftButton, {}, {0, middle});
    CHECK(f.window.plan().epoch() == 0);
    QTest::mouseMove(slider, {slider->width() - 1, middle});
    CHECK(f.window.plan().epoch() == 9);
    QTest::mouseRelease(slider, Qt::LeftButton, {}, {slider->width() - 1, middle});
}

TEST_CASE("Tab goes from the bar to the form and on to the page") {
    Fixture f;
    QStringList places;
    QStringList names;
    const QWidget* start = f.find<QPushButton>("runButton");
    const auto* form = f.find<QWidget>("experimentDock");
    const auto* pages = f.find<QTabWidget>("pagesTabWidget");
    for (const QWidget* next = start->nextInFocusChain(); next != start; next = next->nextInFocusChain()) {
        if ((next->focusPolicy() & Qt::TabFocus) == 0 || !next->isVisible()) continue;
        const QString place = form->isAncestorOf(next)                     ? "form"
                              : pages == next || pages->isAncestorOf(next) ? "page"
                                                                           : "other";
        if (places.isEmpty() || places.back() != place) places << place;
        names << place + ":" + next->objectName() + ":" + next->metaObject()->className();
    }
    INFO(names.join("\n").toStdString());
    CHECK(places.indexOf("form") >= 0);
    CHECK(places.value(places.indexOf("form") + 1) == "page");
    CHECK(places.count("form") == 1);
    CHECK(places.count("page") == 1);
}

TEST_CASE("undo works inside a number field, for typed and stepped values") {
    Fixture f;
    auto* box = f.find<NumberSpinBox>("worldSizeSpinBox");
    f.window.activateWindow();
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Up);
    CHECK(f.window.experiment().config().parallel.worldSize == 5);
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
    CHECK(f.window.experiment().config().parallel.worldSize == 4);
    CHECK(box->text() == "4");
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    CHECK(f.window.experiment().config().parallel.worldSize == 5);
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
    f.type("worldSizeSpinBox", "12");
    QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
    CHECK(f.window.experiment().config().parallel.worldSize == 4);
}

TEST_CASE("the command palette finds letters, synonyms and similar commands") {
    QAction stop("&Stop"), saveAs("Save &as..."), theme("&Dark theme"), compare("Shards: A/B");
    setSynonyms(stop, "pause halt");
    setSynonyms(compare, "compare settings");
    const QList<QAction*> all{&saveAs, &theme, &compare, &stop};
    const auto first = [&](const char* typed) { return findCommands(all, QLatin1String(typed)).actions.value(0); };
    CHECK(findCommands(all, "").actions == all);
    CHECK(first("sva") == &saveAs);
    CHECK(first("DARK") == &theme);
    CHECK(first("pause") == &stop);
    CHECK(first("compare") == &compare);
    CHECK(first("s") == &saveAs);  // in the order of the menus
    CHECK_FALSE(findCommands(all, "pause").onlySimilar);
    CHECK(findCommands(all, "pasue").onlySimilar);
    CHECK(first("pasue") == &stop);
    CHECK(first("thene") == &theme);
    CHECK_FALSE(findCommands(all, "xyzzy").actions.isEmpty());
}

TEST_CASE("a command runs from the palette, and an unavailable one is marked") {
    Fixture f;
    f.trigger("paletteAction");
    auto* palette = f.find<CommandPalette>("commandPalette");
    auto* line = palette->findChild<QLineEdit*>("commandLineEdit");
    auto* list = palette->findChild<QListWidget*>("commandListWidget");
    QTest::keyClicks(line, "pause");
    REQUIRE(list->count() > 0);
    CHECK(list->item(0)->text() == "Pause   (not available now)");
    QTest::keyClick(line, Qt::Key_Return);
    CHECK(palette->isVisible());
    line->clear();
    QTest::keyClicks(line, "mistakes");
    CHECK(list->item(0)->text() == "Shards: Effect of mistakes");
    line->clear();
    QTest::keyClicks(line, "dark");
    QTest::keyClick(line, Qt::Key_Return);
    REQUIRE(waitFor([&] { return f.theme.mode() == Theme::Mode::Dark; }));
}

TEST_CASE("every button, slider and field of the window has a name, a tooltip and an object name ending in its kind") {
    Fixture f;
    for (const QWidget* widget : f.window.findChildren<QWidget*>()) {
        const bool button = qobject_cast<const QAbstractButton*>(widget) != nullptr;
        if (!button && !qobject_cast<const QAbstractSpinBox*>(widget) && !qobject_cast<const QAbstractSlider*>(widget))
            continue;
        if (qobject_cast<const QScrollBar*>(widget) || widget->objectName().startsWith("qt_")) continue;
        if (QString::fromLatin1(widget->parentWidget()->metaObject()->className()).startsWith("Q")) continue;
        INFO(widget->objectName().toStdString() << " " << widget->metaObject()->className());
        CHECK(!widget->objectName().isEmpty());
        CHECK(!widget->toolTip().isEmpty());
    }
}

TEST_CASE("each row of the page table becomes a page of its name, in the order of the tabs") {
    WindowFixture f;
    QStringList names;
    for (const PageRow& row : pageTable()) names << QLatin1String(row.name);
    CHECK(names.size() >= 5);
    CHECK(f.window.pages().names() == names);
}
