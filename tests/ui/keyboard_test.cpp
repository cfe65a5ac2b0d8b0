// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of keyboard shortcuts: those of the run after a click on a control, of the form, of help, and of the command
// finder.
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>

#include "commands/command_palette.h"
#include "controls/focus_ring.h"
#include "help/help_dialog.h"
#include "support/places.h"
#include "ui/window_fixture.h"

using namespace ringside;

namespace {

struct KeyWindow : WindowFixture {
    explicit KeyWindow(const char* mode = "finishes") : WindowFixture(mode) { window.activateWindow(); }

    void startPaused() {
        trigger("runAction");
        REQUIRE(waitFor([this] { return find<QAction>("stepAction")->isEnabled(); }));
    }
    bool wasSent(const char* line) {
        return waitFor([&] { return fake.read("control").contains(line); });
    }
    CommandPalette* openFinder() {
        trigger("paletteAction");
        return find<CommandPalette>("commandPalette");
    }
    // Types into the finder and returns the command that Enter would run; empty if there is none.
    QString found(CommandPalette& finder, const char* typed) {
        auto* line = finder.findChild<QLineEdit*>(QStringLiteral("commandLineEdit"));
        line->clear();
        QTest::keyClicks(line, QString::fromLatin1(typed));
        const auto* item = finder.findChild<QListWidget*>(QStringLiteral("commandListWidget"))->currentItem();
        return item ? item->text() : QString();
    }
};

}  // namespace

TEST_CASE("Right and Shift+Right step the run after a click on a segmented button") {
    KeyWindow f("obeys");
    f.startPaused();
    for (const char* name : {"axisEpochButton", "gradientsViewButton"}) {
        auto* button = f.window.findChild<QPushButton*>(QString::fromLatin1(name));
        if (button == nullptr) continue;
        f.window.pages().show(QString::fromLatin1(name).startsWith(QLatin1String("axis")) ? "training" : "replicas");
        QTest::mouseClick(button, Qt::LeftButton);
        f.fake.write("control", "");
        QTest::keyClick(button, Qt::Key_Right);
        CHECK(f.wasSent(R"({"kind":"step","value":1.0})"));
        QTest::keyClick(button, Qt::Key_Right, Qt::ShiftModifier);
        CHECK(f.wasSent(R"({"kind":"phase"})"));
    }
}

TEST_CASE("Right steps the run after a click on a chart, a rank card or the summary") {
    KeyWindow f("obeys");
    f.startPaused();
    StepsFrame frame;
    frame.step = {1, 2};
    frame.loss = {2, 1};
    frame.samples = {32, 32};
    frame.endUs = {1000, 2000};
    for (frame.rank = 0; frame.rank < 4; ++frame.rank) f.feed(frame);
    for (const auto& [page, name] :
         {std::pair("training", "lossChart"), {"shards/grid", "rankStripArea"}, {"shards/grid", "epochSummaryPanel"}}) {
        INFO(name);
        f.window.pages().show(QLatin1String(page));
        auto* part = f.find<QWidget>(name);
        REQUIRE(waitFor([&] { return part->isVisible() && !part->visibleRegion().isEmpty(); }));
        QWidget* clicked = part->childAt(part->width() / 2, 10);
        QTest::mouseClick(clicked != nullptr ? clicked : part, Qt::LeftButton);
        f.fake.write("control", "");
        REQUIRE(f.window.focusWidget() != nullptr);
        QTest::keyClick(f.window.focusWidget(), Qt::Key_Right);
        CHECK(f.wasSent(R"({"kind":"step","value":1.0})"));
    }
}

TEST_CASE("up and down choose within a segmented control") {
    KeyWindow f;
    f.window.pages().show(QStringLiteral("shards/grid"));
    auto* rank = f.find<QPushButton>("colorByRankButton");
    rank->setFocus();
    QTest::keyClick(rank, Qt::Key_Down);
    CHECK(f.find<QPushButton>("colorByClassButton")->isChecked());
}

TEST_CASE("one phase has a button") {
    KeyWindow f("obeys");
    f.startPaused();
    f.press("phaseButton");
    CHECK(f.wasSent(R"({"kind":"phase"})"));
}

TEST_CASE("F6 goes to the form and back, and the control that has the keyboard is outlined") {
    KeyWindow f;
    f.trigger("otherPartAction");
    auto* form = f.window.findChild<QWidget*>(QStringLiteral("experimentDock"));
    REQUIRE(form->isAncestorOf(QApplication::focusWidget()));
    const auto* ring = f.find<FocusRing>("focusRing");
    CHECK(ring->isVisible());
    CHECK(ring->control() == QApplication::focusWidget());
    f.trigger("otherPartAction");
    CHECK_FALSE(form->isAncestorOf(QApplication::focusWidget()));
    QTest::mouseClick(f.find<QPushButton>("colorByClassButton"), Qt::LeftButton);
    CHECK_FALSE(ring->isVisible());
}

TEST_CASE("the command finder finds speeds, settings and their values") {
    KeyWindow f;
    CommandPalette* finder = f.openFinder();
    f.found(*finder, "slow");
    const auto* list = finder->findChild<QListWidget*>(QStringLiteral("commandListWidget"));
    CHECK_FALSE(list->findItems(QStringLiteral("Speed: 0.5 steps/s"), Qt::MatchStartsWith).isEmpty());
    CHECK(f.found(*finder, "world size") == "World size: 4");
    CHECK(f.found(*finder, "drop_last").contains(QLatin1String("off")));
    CHECK(f.found(*finder, "mistake: number of the slow rank") == "Mistake: number of the slow rank: off");
    CHECK(f.found(*finder, "set strategy fsdp").startsWith(QLatin1String("Set Strategy to")));
    QTest::keyClick(finder->findChild<QLineEdit*>(QStringLiteral("commandLineEdit")), Qt::Key_Return);
    REQUIRE(waitFor([&] { return f.window.experiment().config().parallel.strategy == StrategyKind::kFsdp; }));
}

TEST_CASE("the command finder gives a setting the number that was typed after its name") {
    KeyWindow f;
    CommandPalette* finder = f.openFinder();
    CHECK(f.found(*finder, "epochs 400") == "Set Epochs to 400");
    CHECK(f.found(*finder, "epochs -3").isEmpty());   // not accepted by the setting
    CHECK(f.found(*finder, "epochs 2.5").isEmpty());  // no whole number
    CHECK(f.found(*finder, "set lr to 0.25") == "Set Learning rate to 0.25");
    QTest::keyClick(finder->findChild<QLineEdit*>(QStringLiteral("commandLineEdit")), Qt::Key_Return);
    REQUIRE(waitFor([&] { return f.window.experiment().config().optimizer.lr == 0.25; }));
}

TEST_CASE("F1 works in a dialog that is not modal") {
    KeyWindow f;
    f.trigger("launchAction");
    QDialog* launch = nullptr;
    REQUIRE(
        waitFor([&] { return (launch = f.window.findChild<QDialog*>(QStringLiteral("launchDialog"))) != nullptr; }));
    launch->activateWindow();
    REQUIRE(waitFor([&] { return QApplication::activeWindow() == launch; }));
    QTest::keyClick(launch, Qt::Key_F1);
    CHECK(f.find<HelpDialog>("helpDialog")->file() == "launchers.md");
}

TEST_CASE("a setting that is found gets the keyboard") {
    KeyWindow f;
    CommandPalette* finder = f.openFinder();
    REQUIRE(f.found(*finder, "momentum").startsWith(QLatin1String("Momentum: ")));
    QTest::keyClick(finder->findChild<QLineEdit*>(QStringLiteral("commandLineEdit")), Qt::Key_Return);
    REQUIRE(waitFor([&] {
        const QWidget* focused = f.window.focusWidget();
        return focused && focused->objectName().startsWith(QLatin1String("momentum"));
    }));
}

TEST_CASE("Enter never runs a command that only resembles what was typed") {
    KeyWindow f;
    CommandPalette* finder = f.openFinder();
    CHECK(f.found(*finder, "thene").isEmpty());
    auto* line = finder->findChild<QLineEdit*>(QStringLiteral("commandLineEdit"));
    QTest::keyClick(line, Qt::Key_Return);
    CHECK(finder->isVisible());
    CHECK(f.theme.mode() == Theme::Mode::Light);
    QTest::keyClick(line, Qt::Key_Down);  // chooses a result explicitly
    QTest::keyClick(line, Qt::Key_Return);
    CHECK(waitFor([&] { return f.theme.mode() == Theme::Mode::Dark; }));
}

TEST_CASE("F1 opens the documentation of the setting that has the keyboard") {
    KeyWindow f;
    f.find<NumberSpinBox>("worldSizeSpinBox")->setFocus();
    f.trigger("helpAction");
    auto* help = f.find<HelpDialog>("helpDialog");
    CHECK(help->file() == "experiments.md");
    CHECK(help->currentLine().startsWith(QLatin1String("parallel.world_size (")));
    f.window.activateWindow();
    f.window.pages().show(QStringLiteral("timeline"));
    f.window.centralWidget()->setFocus();
    f.trigger("helpAction");
    CHECK(help->file() == "timeline.md");
    // The dialog keeps its document when it is closed.
    const QPointer<HelpDialog> kept = help;
    help->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    CHECK_FALSE(kept.isNull());
}

TEST_CASE("every topic of the help is a heading of its document") {
    for (const WidgetTopic& topic : widgetTopics()) {
        QFile file(QString::fromStdString(sourceFile("docs/")) + QLatin1String(topic.file));
        REQUIRE(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        INFO(topic.objectName);
        CHECK(text.contains(QStringLiteral("# %1\n").arg(QLatin1String(topic.heading))));
    }
}

TEST_CASE("the documentation opens without a network and finds words") {
    HelpDialog help(QString::fromStdString(sourceFile("docs")));
    help.show({QStringLiteral("strategies.md"), {}});
    CHECK(help.findChild<QListWidget*>()->count() >= 6);
    auto* search = help.findChild<QLineEdit*>(QStringLiteral("helpSearchLineEdit"));
    search->setText(QStringLiteral("Canonical reduction"));
    QTest::keyClick(search, Qt::Key_Return);
    CHECK(help.currentLine() == "Canonical reduction");
    search->setText(QStringLiteral("no such words in it"));
    QTest::keyClick(search, Qt::Key_Return);
    CHECK(help.findChild<QLabel*>(QStringLiteral("helpNoteLabel"))->text().contains(QLatin1String("no such words")));
    Q_EMIT help.findChild<QTextBrowser*>()->anchorClicked(QUrl(QStringLiteral("experiments.md#throttled-ranks")));
    CHECK(help.file() == "experiments.md");
    CHECK(help.currentLine() == "Throttled ranks");
    CHECK(help.findChild<QLabel*>(QStringLiteral("helpNoteLabel"))->isHidden());
}
