// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the layout of every page and dialog in the smallest window, with normal and larger type.
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QListView>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

#include "experiment/experiment_form.h"
#include "status/log_panel.h"
#include "theme/dialog_size.h"
#include "ui/layout_faults.h"
#include "ui/painted_texts.h"
#include "ui/traced_run.h"
#include "ui/window_fixture.h"

using namespace ringside;

namespace {

constexpr QSize kSmallest{960, 600};

GradientView gradientOf(int rank, int step, GradientMoment moment) {
    GradientView view{.rank = rank, .step = step, .moment = moment, .norm = 2};
    view.names = {"0.weight", "2.weight"};
    view.rows = {8, 4};
    view.columns = {8, 4};
    for (int cell = 0; cell < 80; ++cell) view.cells.push_back((cell % 7 - 3) * (rank + 1) * 0.1);
    view.tensorNorms = {1.5, 0.5};
    view.ring = {1, 2, 3, 4};
    view.cosine = 0.9;
    return view;
}

// The window at its smallest size, with a run of four ranks, one of which is a straggler.
struct SmallWindow : WindowFixture {
    explicit SmallWindow(int percent) {
        theme.setTypePercent(percent);
        theme.setMode(Theme::Mode::Light);
        TracedRun run(window.run(), 4, 2);
        for (int rank = 0; rank < 4; ++rank) feed(RankState{rank, RankStage::kTraining, "", 0, 0});
        for (int rank = 0; rank < 4; ++rank) {
            StepsFrame frame;
            frame.rank = rank;
            for (int step = 1; step <= 24; ++step) {
                frame.step.push_back(step);
                frame.loss.push_back(2.3 / step);
                frame.correct.push_back(16);
                frame.samples.push_back(32);
                frame.endUs.push_back(step * 33'000);
                frame.gradientNorm.push_back(1.0 / step);
            }
            feed(frame);
        }
        run.steps(24);
        for (const int step : {11, 12}) {
            for (int rank = 0; rank < 4; ++rank) {
                feed(gradientOf(rank, step, GradientMoment::kOwn));
                feed(gradientOf(rank, step, GradientMoment::kMean));
            }
        }
        settle();
    }
    // Resizes the window to its smallest size and waits until all layouts are done.
    void settle() {
        window.resize(kSmallest);
        REQUIRE(waitFor([this] { return window.pages().current().isSettled(); }));
        REQUIRE(waitFor([this] { return window.isDrawn(); }));
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    }
    QStringList places() {
        QStringList all;
        for (const Page* page : window.pages().pages()) {
            if (page->views().isEmpty()) all << page->name();
            for (const Page::View& view : page->views()) all << page->name() + QLatin1Char('/') + view.name;
        }
        return all;
    }
    QDialog* openDialog() {
        for (QDialog* dialog : window.findChildren<QDialog*>()) {
            if (dialog->isVisible()) return dialog;
        }
        return nullptr;
    }
};

// Returns the names of visible areas that scroll horizontally. Tables and zoomed pictures scroll within themselves and
// do not count.
QStringList sidewaysAreas(const QWidget& root) {
    QStringList names;
    for (const QScrollArea* area : root.findChildren<QScrollArea*>()) {
        const QScrollBar* bar = area->horizontalScrollBar();
        if (area->isVisible() && bar->isVisible() && bar->maximum() > bar->minimum()) names << area->objectName();
    }
    return names;
}

void checkNotSideways(const QString& where, const QWidget& widget) {
    QStringList areas;
    waitFor([&] { return (areas = sidewaysAreas(widget)).isEmpty(); });
    INFO(where.toStdString());
    CHECK(areas.join(' ').toStdString().empty());
}

// Checks that the widget has no layout faults. Waits for the layout after new texts, because a label that wraps gets
// its height only when it is painted.
void checkNoFaults(const QString& where, QWidget& widget) {
    QStringList faults;
    waitFor([&] { return (faults = layoutFaults(widget)).isEmpty(); });
    std::string text = where.toStdString();
    for (const QString& fault : faults) text += "\n  " + fault.toStdString();
    if (!faults.isEmpty()) FAIL_CHECK(text);
}

}  // namespace

TEST_CASE("every page fits the smallest window, with normal and larger type") {
    for (const int percent : {100, 125, 150}) {
        SmallWindow f(percent);
        REQUIRE(f.window.size() == kSmallest);
        for (const QString& place : f.places()) {
            INFO(place.toStdString() << " at " << percent << " %");
            REQUIRE(f.window.pages().show(place));
            f.settle();
            checkNoFaults(QStringLiteral("%1 at %2 %").arg(place).arg(percent), f.window);
            checkNotSideways(QStringLiteral("%1 at %2 %").arg(place).arg(percent), f.window);
        }
    }
}

TEST_CASE("a page with a banner about a missing set_epoch call fits its area or has a scroll bar") {
    SmallWindow f(100);
    RunConfig config = f.window.experiment().config();
    config.sampler.setEpoch = false;
    f.window.experiment().edit(config, "sampler.set_epoch");
    auto* banner = f.find<QWidget>("orderBanner");
    auto* area = f.find<QScrollArea>("shardsPageArea");
    for (const QSize size : {kSmallest, QSize(1440, 900)}) {
        for (const char* view : {"shards/grid", "shards/diff"}) {
            REQUIRE(f.window.pages().show(QLatin1String(view)));
            f.settle();
            REQUIRE(waitFor([&] { return banner->isVisible(); }));
            f.window.resize(size);
            for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
            INFO(view << " in a window of " << size.width() << " pixels");
            CHECK((area->widget()->height() <= area->viewport()->height() ||
                   area->verticalScrollBarPolicy() == Qt::ScrollBarAlwaysOn));
            auto* text = f.find<QLabel>("orderBannerLabel");
            CHECK(text->height() >= text->heightForWidth(text->width()));
        }
    }
}

// 1920 x 1080 at scale 2 are 960 x 540 logical pixels, of which a title bar and a panel take about 60.
TEST_CASE("the window is not larger than a screen of 1920 x 1080 at scale 2, with normal and larger type") {
    for (const int percent : {100, 150}) {
        SmallWindow f(percent);
        INFO(percent);
        CHECK(f.window.minimumSizeHint().width() <= 960);
        CHECK(f.window.minimumSizeHint().height() <= 480);
        f.window.resize(960, 480);
        for (const QString& place : f.places()) {
            REQUIRE(f.window.pages().show(place));
            for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
            checkNotSideways(place, f.window);
        }
        CHECK(f.window.size() == QSize(960, 480));
    }
}

TEST_CASE("every dialog fits the smallest window, with normal and larger type") {
    for (const int percent : {100, 150}) {
        SmallWindow f(percent);
        for (const char* action : {"watchAction", "launchAction", "inviteAction", "joinAction", "devicesAction",
                                   "modelSummaryAction", "paletteAction", "keysAction"}) {
            f.trigger(action);
            QDialog* dialog = nullptr;
            INFO(action);
            REQUIRE(waitFor([&] { return (dialog = f.openDialog()) != nullptr; }));
            for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
            CHECK(dialog->width() <= kSmallest.width());
            CHECK(dialog->height() <= kSmallest.height());
            checkNoFaults(QStringLiteral("%1 at %2 %").arg(QLatin1String(action)).arg(percent), *dialog);
            checkNotSideways(QLatin1String(action), *dialog);
            dialog->close();
            REQUIRE(waitFor([&] { return f.openDialog() == nullptr; }));
        }
    }
}

TEST_CASE("the dialogs of data and of loader workers fit the smallest window") {
    for (const int percent : {100, 150}) {
        SmallWindow f(percent);
        f.fake.write("table.csv", "a,b,kind\n1,2,cat\n3,4,dog\n5,6,cat\n7,8,dog\n9,1,cat\n2,2,dog\n");
        f.window.files().open(f.fake.folder.filePath(QStringLiteral("table.csv")));
        QDialog* dialog = nullptr;
        REQUIRE(waitFor([&] { return (dialog = f.openDialog()) != nullptr; }));
        auto* accept = dialog->findChild<QPushButton*>(QStringLiteral("importButton"));
        REQUIRE(waitFor([&] { return !accept || accept->isEnabled(); }));
        CHECK(dialog->height() <= kSmallest.height());
        checkNoFaults(QStringLiteral("import at %1 %").arg(percent), *dialog);
        dialog->close();
        REQUIRE(waitFor([&] { return f.openDialog() == nullptr; }));
        Q_EMIT f.window.findChild<ExperimentForm*>()->sweepRequested();
        REQUIRE(waitFor([&] { return (dialog = f.openDialog()) != nullptr; }));
        checkNoFaults(QStringLiteral("loader workers at %1 %").arg(percent), *dialog);
        dialog->findChild<QLabel*>(QStringLiteral("loaderSweepStatusLabel"))
            ->setText(
                QStringLiteral("1,437 training, 360 validation samples, 8 x 8, read from a slow disk. Measuring..."));
        checkNoFaults(QStringLiteral("loader workers with two lines at %1 %").arg(percent), *dialog);
    }
}

TEST_CASE("a log without messages shows a text in their place") {
    RunModel run;
    Theme theme;
    LogPanel panel(run, theme);
    panel.resize(600, 150);
    panel.show();
    QWidget* lines = panel.findChild<QListView*>(QStringLiteral("logListView"))->viewport();
    const auto isMarkedEmpty = [&] {
        const QList<PaintedText> texts = paintedTexts(*lines);
        return std::ranges::any_of(texts, [](const PaintedText& one) { return one.text == "No messages yet"; });
    };
    CHECK(isMarkedEmpty());
    run.feed(QByteArray::fromStdString(encode(Event(LogLine{}))));
    CHECK(waitFor([&] { return panel.model().rowCount() == 1; }));
    CHECK_FALSE(isMarkedEmpty());
}

TEST_CASE("the texts beside the sliders have the room of their own font, also after it has changed") {
    SmallWindow f(100);
    const auto roomOf = [&](const char* name) {
        const auto* label = f.window.findChild<QLabel*>(QLatin1String(name));
        return std::pair(label->minimumWidth(), label->fontMetrics().horizontalAdvance(QStringLiteral("10 of 10")));
    };
    const auto [room, width] = roomOf("epochLabel");
    CHECK(room == width);
    const int speedRoom = roomOf("speedLabel").first;
    for (const int percent : {150, 100}) {
        f.theme.setTypePercent(percent);
        f.settle();
        const auto [newRoom, newWidth] = roomOf("epochLabel");
        CHECK(newRoom == newWidth);
    }
    CHECK(roomOf("speedLabel").first == speedRoom);
}

TEST_CASE("a dialog grows with the type within its window, and is never larger than the screen") {
    Theme theme;
    const QSize normal(900, 600), large(2000, 1500);
    CHECK(fittingSize(normal, large, large) == normal);
    CHECK(fittingSize(normal, {960, 540}, {960, 540}) == QSize(900, 500));  // a title bar takes 40 pixels
    CHECK(fittingSize(normal, {}, {}) == normal);
    theme.setTypePercent(150);
    CHECK(fittingSize(normal, large, large) == QSize(1350, 900));
    CHECK(fittingSize(normal, {960, 600}, large) == QSize(960, 600));
    CHECK(fittingSize(normal, {800, 500}, large) == normal);  // the same size as with normal type
    theme.setTypePercent(100);
}
