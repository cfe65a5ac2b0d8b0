// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the pictures of the Timeline page: the strip of step times, the lanes and the lateness map.
#include <QTest>
#include <algorithm>

#include "support/catch.h"
#include "telemetry/data/open_steps.h"
#include "timeline/lanes/lanes_geometry.h"
#include "timeline/lanes/lateness_map.h"
#include "timeline/lanes/phase_legend.h"
#include "timeline/step/step_strip.h"
#include "timeline_window.h"
#include "traced_run.h"
#include "ui/painted_texts.h"

using namespace ringside;

TEST_CASE("the lanes appear when a rank has finished the first step, and not at its beginning") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    for (int rank = 0; rank < 2; ++rank)
        run.feed(traceOf(OpenStep{rank, 1, 0, Phase::kForward, run.beginMs * kTracedMs}));
    REQUIRE(waitFor([&] { return timeline.model().recorded() != nullptr; }));
    REQUIRE(waitFor([&] { return !timeline.text("timelineEmptyTitleLabel").contains("Click Run"); }));
    CHECK_FALSE(timeline.lanes().isVisible());
    run.steps(1);
    REQUIRE(timeline.shows(1));
    CHECK(timeline.lanes().isVisible());
    CHECK(timeline.text("lanesTitleLabel") == "Step 1");
    CHECK(timeline.text("stepStripNoteLabel") == "mean of 2 ranks, step 1");
}

TEST_CASE("the strip states the time of a bar of full height, and whether taller bars are cut") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(30, 37);
    REQUIRE(timeline.shows(30));
    auto& strip = timeline.part<StepStrip>("stepStripArea");
    const auto scale = [&] {
        for (const PaintedText& one : paintedTexts(strip))
            if (one.text.startsWith("full height")) return one.text;
        return QString();
    };
    CHECK(scale() == "full height: 46.0 ms");  // 1.15 x 40 ms
    run.steps(1, 300);
    REQUIRE(timeline.shows(31));
    CHECK(waitFor([&] { return scale() == "full height: 46.0 ms; taller bars are cut"; }));
}

TEST_CASE("a step with a pause does not flatten the bars of the other steps, and the legend names the pause") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(3);
    REQUIRE(timeline.shows(3));
    const auto& strip = timeline.part<StepStrip>("stepStripArea");
    const double before = strip.fullNs();
    // Returns the number of pixels of the pause marks above the bars.
    const auto marked = [&] {
        const QImage image = timeline.part<StepStrip>("stepStripArea").grab().toImage();
        int count = 0;
        for (int y = 20; y < 24; ++y)
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y) == timeline.theme.colors().muted ? 1 : 0;
        return count;
    };
    CHECK(marked() == 0);
    const int legend = timeline.part<PhaseLegend>("phaseLegendArea").sizeHint().width();
    // Two of five steps are slow, because the scale ignores a single highest bar.
    for (const int step : {4, 5})
        for (int rank = 0; rank < 2; ++rank)
            run.feed(pausedStep(tracedStep(rank, step, run.beginMs + 6000 * step, rank == 1 ? 30 : 10, 30), 5000));
    REQUIRE(timeline.shows(5));
    CHECK(strip.fullNs() == Approx(before));
    CHECK(marked() > 0);
    CHECK(timeline.text("stepLengthLabel") == "33.0 ms");
    CHECK(timeline.part<QLabel>("stepLengthLabel").toolTip().endsWith(", without the pause of 5000 ms"));
    CHECK(timeline.part<PhaseLegend>("phaseLegendArea").sizeHint().width() > legend);
}

TEST_CASE("the strip detects the step from which on steps took longer") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(30, 10);
    run.steps(30, 50);
    REQUIRE(timeline.shows(60));
    auto& strip = timeline.part<StepStrip>("stepStripArea");
    REQUIRE(waitFor([&] { return strip.changePoint().has_value(); }));
    CHECK(*strip.changePoint() == 31);
    QTest::mouseClick(&strip, Qt::LeftButton, {}, QPoint(static_cast<int>(strip.xOf(20)), 40));
    const auto [first, last] = timeline.model().visibleSteps();
    CHECK(first <= 20);
    CHECK(last >= 20);
    CHECK(last - first <= 2);
}

TEST_CASE("the length of a gap is not written where the names of the ranks would cut it") {
    Timeline timeline;
    timeline.page.resize(1100, 900);
    TracedRun run(timeline.run, 4, 1);
    run.steps(2);
    run.done += 6;
    run.beginMs += 400;
    run.steps(2);
    REQUIRE(timeline.shows(10));
    TimelineModel& model = timeline.model();
    model.showSteps(1, 10);
    const auto& stretches = model.clock().stretches();
    REQUIRE(stretches.size() == 2);
    const double middle = (stretches[0].shownEnd() + stretches[1].shown) / 2;
    int seen = 0;
    // Moves the middle of the gap from 40 pixels at the right of the lanes' left edge to 40 pixels at its left.
    for (int pixels = 40; pixels >= -40; pixels -= 4) {
        const double perNs = timeline.lanes().geometryOfLanes().pixelsPerNs();
        model.pan(middle - pixels / perNs - model.left());
        for (const PaintedText& one : paintedTexts(timeline.lanes())) {
            if (!one.text.contains("not traced")) continue;
            ++seen;
            CHECK(one.place.left() >= timeline.lanes().geometryOfLanes().area.left());
        }
    }
    CHECK(seen > 0);
}

TEST_CASE("the length of a shortened pause is readable on the lanes") {
    Timeline timeline;
    timeline.theme.setMode(Theme::Mode::Light);
    TracedRun run(timeline.run, 3, 1);
    run.steps(2);
    for (int rank = 0; rank < 3; ++rank)
        run.feed(pausedStep(tracedStep(rank, 3, run.beginMs, rank == 1 ? 30 : 10, 30), 5000));
    REQUIRE(timeline.shows(3));
    const auto& stretches = timeline.model().clock().stretches();
    REQUIRE(stretches.back().afterPause);
    const LanesGeometry lanes = timeline.lanes().geometryOfLanes();
    const double from = lanes.xOf(stretches[stretches.size() - 2].shownEnd()), to = lanes.xOf(stretches.back().shown);
    REQUIRE(to - from > 14);
    // In the gap, the bar of the middle rank has the light colour of a pause. Only the text is dark.
    const QImage image = timeline.lanes().grab().toImage();
    const QRect gap = QRectF(from + 2, lanes.bar(1).top(), to - from - 4, lanes.bar(1).height()).toRect();
    int dark = 0;
    for (int y = gap.top(); y <= gap.bottom(); ++y)
        for (int x = gap.left(); x <= gap.right(); ++x) dark += image.pixelColor(x, y).lightness() < 150 ? 1 : 0;
    CHECK(dark > 15);
}

TEST_CASE("the name of rank 0 beside the lateness map is whole in a low window") {
    Timeline timeline;
    timeline.page.resize(700, 420);
    TracedRun run(timeline.run, 64, 13);
    run.steps(3);
    REQUIRE(timeline.shows(3));
    auto& map = timeline.part<LatenessMap>("latenessMapArea");
    REQUIRE(waitFor([&] { return map.isVisible(); }));
    const QList<PaintedText> texts = paintedTexts(map);
    const auto first = std::ranges::find_if(texts, [](const PaintedText& one) { return one.text == "Rank 0"; });
    REQUIRE(first != texts.end());
    CHECK(first->place.top() >= 0);
}

TEST_CASE("above 16 ranks a map shows lateness, with the lanes of the selected and the latest rank") {
    Timeline timeline;
    TracedRun run(timeline.run, 20, 13);
    run.steps(9);
    REQUIRE(timeline.shows(9));
    auto& map = timeline.part<LatenessMap>("latenessMapArea");
    REQUIRE(waitFor([&] { return map.isVisible(); }));
    CHECK(timeline.lanes().shownRanks() == std::vector<int>{0, 13});
    CHECK(map.textAt({map.width() - 20.0, map.height() * 0.66}).startsWith("Rank 1"));
    QTest::mouseClick(
        &map, Qt::LeftButton, {},
        QPoint(static_cast<int>(LanesGeometry::kNames) + (map.width() - static_cast<int>(LanesGeometry::kNames)) / 2,
               10));
    CHECK(timeline.cursor.step() == 5);
}

TEST_CASE("the lateness map shows no values of a run that was open before") {
    constexpr int kRanks = 40;
    const auto mapOf = [](Timeline& timeline) {
        return timeline.part<LatenessMap>("latenessMapArea").grab().toImage();
    };
    Timeline fresh;
    TracedRun only(fresh.run, kRanks, 30);
    only.steps(3, 10);
    REQUIRE(fresh.shows(3));

    Timeline timeline;
    {
        TracedRun before(timeline.run, kRanks, 3);
        before.steps(3, 90);
        REQUIRE(timeline.shows(3));
    }
    REQUIRE(waitFor([&] { return mapOf(timeline) != mapOf(fresh); }));
    timeline.page.hide();
    timeline.run.reset();
    TracedRun after(timeline.run, kRanks, 30);
    after.steps(3, 10);
    timeline.page.show();
    REQUIRE(timeline.shows(3));
    CHECK(waitFor([&] { return mapOf(timeline) == mapOf(fresh); }));
}
