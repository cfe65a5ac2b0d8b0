// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QTemporaryDir>

#include "diagnostics/debug_overlay.h"
#include "support/catch.h"
#include "theme/desktop_motion.h"

using namespace ringside;

namespace {

EventTimes::Event frame(double ms) {
    return {"Window", QEvent::UpdateRequest, ms, ms};
}

void write(const QString& path, const char* text) {
    QFile file(path);
    REQUIRE(QDir().mkpath(path.section(QLatin1Char('/'), 0, -2)));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(text);
}

}  // namespace

TEST_CASE("a quantile is the smallest value with enough values at or below it") {
    CHECK(quantile({}, 0.99) == 0);
    CHECK(quantile({5, 1, 3, 2, 4}, 0.5) == 3);
    CHECK(quantile({5, 1, 3, 2, 4}, 0.99) == 5);
    CHECK(quantile({5, 1, 3, 2, 4}, 0) == 1);
}

TEST_CASE("frames, the longest event and slow events are distinguished") {
    EventTimes times;
    times.setWatching(true);
    for (int i = 1; i <= 100; ++i) times.add(frame(i / 50.0));  // 0.02 .. 2 ms
    times.add({"Model", QEvent::MetaCall, 90, 6});              // 90 ms of wall-clock time, but 6 ms of work
    times.add({"Edit", QEvent::KeyPress, 5, 5});                // not listed: not longer than 5 ms
    CHECK(times.count() == 102);
    CHECK(times.frameMs() == 2);
    CHECK(times.frameP99Ms() == Approx(1.98));
    CHECK(times.longest().receiver == "Model");
    REQUIRE(times.slow().size() == 1);
    times.setWatching(false);
    CHECK(times.count() == 0);
}

TEST_CASE("only the newest frames count") {
    EventTimes times;
    times.add(frame(1000));
    for (std::size_t i = 0; i < EventTimes::kFrames; ++i) times.add(frame(1));
    CHECK(times.frameP99Ms() == 1);
}

TEST_CASE("the overlay shows its values and measures only while visible") {
    QWidget window;
    window.resize(400, 300);
    EventTimes times;
    DebugOverlay overlay(
        times,
        [] {
            return PageFigures{12.5, 3, 4, 1'281'167};
        },
        &window);
    CHECK(!times.isWatching());
    window.show();
    overlay.show();
    CHECK(times.isWatching());
    const QString text = overlay.findChild<QLabel*>()->text();
    CHECK(text.contains("12.5 ms"));
    CHECK(text.contains("3, 4"));
    CHECK(text.contains(QLocale().toString(1'281'167)));
    CHECK(window.rect().contains(overlay.geometry()));
    overlay.hide();
    CHECK(!times.isWatching());
}

TEST_CASE("a desktop setting without animations is respected") {
    const QTemporaryDir folder;
    CHECK(!desktopReducesMotion(folder.path()));
    write(folder.filePath("gtk-3.0/settings.ini"), "[Settings]\ngtk-enable-animations=1\n");
    CHECK(!desktopReducesMotion(folder.path()));
    write(folder.filePath("gtk-4.0/settings.ini"), "[Settings]\ngtk-enable-animations=false\n");
    CHECK(desktopReducesMotion(folder.path()));
    const QTemporaryDir kde;
    write(kde.filePath("kdeglobals"), "[KDE]\nAnimationDurationFactor=0\n");
    CHECK(desktopReducesMotion(kde.path()));
}
