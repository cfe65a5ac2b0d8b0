// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the Shards page of the window with 1,281,167 samples on 64 ranks and 1000 classes, operated as a user does:
// in each view, pans, zooms, changes the epoch, selects and hovers; then searches. Prints for each the times of frames,
// the longest event of the GUI thread, and the memory.
// Usage: QT_QPA_PLATFORM=offscreen shards_bench [rounds]
#include <QAbstractButton>
#include <QLineEdit>
#include <QMetaEnum>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <cstdio>
#include <cstdlib>

#include "diagnostics/debug_overlay.h"
#include "diagnostics/timed_application.h"
#include "dialogs/qt_dialogs.h"
#include "main_window/main_window.h"
#include "settings/settings.h"
#include "shards/grid/grid_widget.h"
#include "shards/page/shards_page.h"
#include "start/qt_messages.h"
#include "support/places.h"
#include "tables/view_export.h"
#include "theme/theme.h"

using namespace ringside;

namespace {

constexpr int kEpochs = 40;

RunConfig imagenetShaped() {
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kImagenet;
    config.parallel.worldSize = 64;
    config.training.epochs = kEpochs;
    return config;
}

double nowMs() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct LightTheme : Theme {
    LightTheme() { setMode(Mode::Light); }
};

struct Bench {
    TimedApplication& application;
    int rounds;
    const QTemporaryDir folder;
    LightTheme theme;
    Settings settings{folder.filePath(QStringLiteral("window.ini"))};
    QtDialogs dialogs;
    MainWindow window{{theme, settings, dialogs, QString::fromStdString(builtProgram("ringsidectl"))}};
    PlanModel& plan = window.plan();
    ShardsPage* page = window.findChild<ShardsPage*>();

    Bench(TimedApplication& timed, int times) : application(timed), rounds(times) {}

    // Runs the event loop until the condition holds and the resulting changes are painted.
    void until(const std::function<bool()>& condition) const {
        QEventLoop loop;
        QTimer poll;
        QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
            if (condition()) loop.quit();
        });
        poll.start(1);
        loop.exec();
        QCoreApplication::processEvents();
    }
    bool settled() const { return plan.plan() != nullptr && !plan.isWorking() && page->isSettled(); }
    // Runs the action in a separate event, so that its time is measured.
    void act(const std::function<void()>& action) {
        bool done = false;
        QTimer::singleShot(0, page, [&] {
            action();
            done = true;
        });
        until([&] { return done && settled(); });
    }
    void setEpoch(int epoch) {
        act([&] { plan.setEpoch(epoch); });
    }
    void begin() { application.times().clear(); }
    void printTimes(const char* name) const {
        const EventTimes& times = application.times();
        std::vector<double> wall, processor;
        for (const EventTimes::Event& frame : times.frames()) {
            wall.push_back(frame.ms);
            processor.push_back(frame.processorMs);
        }
        std::printf("%-34s %4zu frames: wall p50 %5.1f p99 %5.1f, processor p50 %5.1f p99 %5.1f ms; %3zu events > 5 ms",
                    name, wall.size(), quantile(wall, 0.5), quantile(wall, 0.99), quantile(processor, 0.5),
                    quantile(processor, 0.99), times.slow().size());
        const EventTimes::Event& longest = times.longest();
        const char* type = QMetaEnum::fromType<QEvent::Type>().valueToKey(longest.type);
        std::printf(", longest %5.1f ms (%s, %s)\n", longest.processorMs, longest.receiver.c_str(),
                    type == nullptr ? "?" : type);
    }
    void show(const char* button) {
        act([&] { page->findChild<QAbstractButton*>(QLatin1String(button))->click(); });
    }
    GridWidget* gridInSight() const {
        for (GridWidget* grid : page->findChildren<GridWidget*>()) {
            if (grid->isVisible()) return grid;
        }
        return nullptr;
    }
};

void press(QWidget* widget, Qt::Key key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    QApplication::sendEvent(widget, &event);
}

void panAndZoom(Bench& bench, const std::string& view) {
    GridWidget* grid = bench.gridInSight();
    if (grid == nullptr) return;
    grid->fit();
    bench.begin();
    for (int frame = 0; frame < 120; ++frame) {
        press(grid, frame % 60 < 30 ? Qt::Key_W : Qt::Key_S);
        bench.until([] { return true; });
    }
    bench.printTimes((view + ": zoom").c_str());
    for (const int notches : {4, 12, 22, 30, 40}) {
        grid->fit();
        for (int notch = 0; notch < notches; ++notch) press(grid, Qt::Key_W);
        bench.until([&] { return bench.settled(); });
        bench.begin();
        for (int frame = 0; frame < 60; ++frame) {
            grid->setFirstSlot(grid->geometryOfCells().firstSlot() + 9 / grid->geometryOfCells().pitch());
            bench.until([] { return true; });
        }
        const QByteArray pitch = QByteArray::number(grid->geometryOfCells().pitch(), 'f', 2);
        bench.printTimes((view + ": pan at " + pitch.toStdString() + " px").c_str());
    }
    grid->fit();
}

void changeEpochs(Bench& bench, const std::string& view, int& next) {
    std::vector<double> cold, cached;
    bench.begin();
    const int first = next;
    for (int i = 0; i < bench.rounds; ++i, ++next) {
        const double from = nowMs();
        bench.setEpoch(next);
        cold.push_back(nowMs() - from);
    }
    bench.printTimes((view + ": epoch, cold").c_str());
    bench.begin();
    for (int i = 0; i < bench.rounds; ++i) {
        const double from = nowMs();
        bench.setEpoch(first + i);
        cached.push_back(nowMs() - from);
    }
    bench.printTimes((view + ": epoch, cached").c_str());
    std::printf("%-34s to the painted picture: cold median %.1f longest %.1f ms, cached median %.1f longest %.1f ms\n",
                view.c_str(), quantile(cold, 0.5), quantile(cold, 1), quantile(cached, 0.5), quantile(cached, 1));
}

void hoverAndSelect(Bench& bench, const std::string& view) {
    QWidget* target = bench.page->visibleView();
    bench.begin();
    for (int i = 0; i < 60; ++i) {
        const QPoint at(120 + i * 9, 120 + i * 3);
        QWidget* child = target->childAt(at) == nullptr ? target : target->childAt(at);
        QTest::mouseMove(child, child->mapFrom(target, at));
        if (i % 6 == 0) QTest::mouseClick(child, Qt::LeftButton, {}, child->mapFrom(target, at));
        bench.until([] { return true; });
    }
    bench.until([&] { return bench.settled(); });
    bench.printTimes((view + ": hover and select").c_str());
}

void showTable(Bench& bench, const std::string& view) {
    bench.begin();
    auto* action = bench.page->findChild<QAction*>(QStringLiteral("showTableAction"));
    bench.act([&] { action->trigger(); });
    bench.act([&] { action->trigger(); });
    bench.printTimes((view + ": table").c_str());
}

void save(Bench& bench, const std::string& view) {
    auto* exporter = bench.page->findChild<ViewExport*>();
    bench.begin();
    for (const char* suffix : {"png", "svg"}) {
        const QString file = bench.folder.filePath(QStringLiteral("view.") + QLatin1String(suffix));
        bool saved = false;
        const auto reported =
            QObject::connect(exporter, &ViewExport::messageReady, exporter,
                             [&](const QString& sentence) { saved = sentence.contains(QLatin1String("Saved")); });
        bench.act([&] { exporter->savePicture(file); });
        bench.until([&] { return saved; });
        QObject::disconnect(reported);
    }
    bench.printTimes((view + ": save PNG and SVG").c_str());
}

void find(Bench& bench) {
    auto* edit = bench.page->findChild<QLineEdit*>();
    for (const char* text : {"#4242", "class:7", "rank:3", "step:5", "dup", "dropped"}) {
        bench.begin();
        const double from = nowMs();
        QTimer::singleShot(0, edit, [&] { edit->setText(QLatin1String(text)); });
        bench.until([&] { return edit->text() == QLatin1String(text) && !bench.page->isFinding(); });
        const double found = nowMs() - from;
        bench.act([&] { press(edit, Qt::Key_Return); });
        std::printf("%-34s found in %.1f ms\n", text, found);
        bench.printTimes("  shown");
    }
    edit->clear();
}

}  // namespace

int main(int argc, char** argv) {
    dropHarmlessQtMessages();
    TimedApplication application(argc, argv);
    Bench bench(application, argc > 1 ? std::max(1, std::atoi(argv[1])) : 5);
    application.times().setWatching(true);
    bench.window.resize(1280, 800);
    bench.window.show();
    bench.until([&] { return bench.settled(); });
    bench.printTimes("open the window");
    bench.begin();
    bench.act([&] { bench.window.experiment().replace(imagenetShaped(), {}); });
    bench.until([&] { return bench.plan.plan() && bench.plan.plan()->spec().datasetSize > 1'000'000; });
    bench.until([&] { return bench.settled(); });
    bench.printTimes("open the set");
    int epoch = 1;
    for (const std::string view : {"grid", "map", "history", "balance", "diff", "compare", "mistakes"}) {
        bench.begin();
        bench.show((view + "ViewButton").c_str());
        bench.printTimes((view + ": show").c_str());
        hoverAndSelect(bench, view);
        panAndZoom(bench, view);
        changeEpochs(bench, view, epoch);
        showTable(bench, view);
        save(bench, view);
        std::printf("%-34s %lld MiB resident\n", view.c_str(), static_cast<long long>(residentBytes() >> 20));
    }
    bench.show("gridViewButton");
    bench.page->findChild<QAbstractButton*>(QStringLiteral("colorByClassButton"))->click();
    panAndZoom(bench, "grid by class");
    changeEpochs(bench, "grid by class", epoch);
    find(bench);
    std::printf("%lld MiB resident\n", static_cast<long long>(residentBytes() >> 20));
    return 0;
}
