// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/page/timeline_page.h"

#include <QCheckBox>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "models/step_cursor.h"
#include "support/catch.h"
#include "telemetry/data/open_steps.h"
#include "theme/theme.h"
#include "timeline/lanes/lanes_geometry.h"
#include "timeline/lanes/lanes_widget.h"
#include "timeline/lanes/lateness_map.h"
#include "timeline/page/timeline_table.h"
#include "timeline_window.h"
#include "traced_run.h"
#include "ui/fake_run.h"
#include "ui/painted_texts.h"
#include "wait_for.h"

using namespace ringside;

TEST_CASE("before a run the timeline explains what to do, and lanes appear with the first traced step") {
    Timeline timeline;
    CHECK(timeline.text("timelineEmptyTitleLabel").contains("Click Run"));
    TracedRun run(timeline.run, 4, 2);
    REQUIRE(waitFor([&] { return !timeline.text("timelineEmptyTitleLabel").contains("Click Run"); }));
    run.steps(3);
    REQUIRE(timeline.shows(3));
    CHECK(timeline.lanes().isVisible());
    CHECK(timeline.text("lanesTitleLabel") == "Steps 2 and 3");
}

TEST_CASE("with several hosts the lanes show the uncertainty of the clocks") {
    Timeline timeline;
    TracedRun run(timeline.run, 4, 2);
    run.steps(3);
    REQUIRE(timeline.shows(3));
    CHECK_FALSE(timeline.part<QLabel>("clocksLabel").isVisible());
    run.feed(RankState{2, RankStage::kTraining, "", 0, 1, -1, "node2"});
    run.feed(HostClock{.rank = 2, .movedUs = -25'500'000, .errorUs = 60, .roundTripUs = 120});
    run.steps(1);
    REQUIRE(timeline.shows(4));
    CHECK(timeline.part<QLabel>("clocksLabel").isVisible());
    CHECK(timeline.text("clocksLabel") == "Clocks: node2 -25.50 s, uncertainty 0.06 ms, round trip 0.12 ms");
}

TEST_CASE("a run without traces explains how to get them") {
    Timeline timeline;
    RunStarted started;
    started.worldSize = 2;
    RunConfig config;
    config.telemetry.trace = TraceLevel::kOff;
    started.config = config.toText();
    timeline.run.feed(QByteArray::fromStdString(encode(started)));
    for (int rank = 0; rank < 2; ++rank) {
        StepsFrame frame;
        frame.rank = rank;
        frame.step = {1};
        frame.loss = {1};
        frame.samples = {4};
        frame.endUs = {1000};
        timeline.run.feed(QByteArray::fromStdString(encode(frame)));
    }
    REQUIRE(waitFor([&] { return timeline.text("timelineEmptyTitleLabel").contains("not traced"); }));
    int wanted = 0;
    QObject::connect(&timeline.page, &TimelinePage::recordWanted, &timeline.page, [&](int steps) { wanted = steps; });
    timeline.part<QPushButton>("timelineEmptyButton").click();
    CHECK(wanted == 50);
}

TEST_CASE("the first sentence names the rank that arrives last") {
    Timeline timeline;
    TracedRun run(timeline.run, 4, 2);
    run.steps(20);
    REQUIRE(timeline.shows(20));
    REQUIRE(waitFor([&] { return timeline.text("verdictTitleLabel").startsWith("Rank 2 arrives last in 100 %"); }));
    CHECK(timeline.text("verdictTitleLabel").endsWith("costs 20.0 ms of 33.0 ms per step (median)."));
    CHECK(timeline.text("verdictDetailLabel").startsWith("Its backward takes 3.0 times"));
}

TEST_CASE("the lanes follow the newest steps until the user zooms, and again after Live") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(5);
    REQUIRE(timeline.shows(5));
    CHECK(timeline.model().visibleSteps() == std::pair<std::int64_t, std::int64_t>(4, 5));
    QTest::keyClick(&timeline.lanes(), Qt::Key_W);
    CHECK(!timeline.model().follows());
    const double left = timeline.model().left();
    run.steps(5);
    REQUIRE(timeline.shows(10));
    CHECK(timeline.model().left() == Approx(left));
    timeline.part<QPushButton>("liveButton").click();
    CHECK(timeline.model().visibleSteps() == std::pair<std::int64_t, std::int64_t>(9, 10));
}

TEST_CASE("keys zoom, pan, fit and move between steps") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(12);
    REQUIRE(timeline.shows(12));
    LanesWidget& lanes = timeline.lanes();
    TimelineModel& model = timeline.model();
    const double span = model.span(), middle = model.left() + span / 2;
    QTest::keyClick(&lanes, Qt::Key_W);
    CHECK(model.span() == Approx(span / 1.5));
    CHECK(model.left() + model.span() / 2 == Approx(middle));
    QTest::keyClick(&lanes, Qt::Key_S);
    CHECK(model.span() == Approx(span));
    QTest::keyClick(&lanes, Qt::Key_A);
    CHECK(model.left() + model.span() / 2 == Approx(middle - 0.2 * span));
    QTest::keyClick(&lanes, Qt::Key_F);
    CHECK(model.visibleSteps() == std::pair<std::int64_t, std::int64_t>(1, 12));
    model.choose(7);
    QTest::keyClick(&lanes, Qt::Key_Period);
    CHECK(timeline.cursor.step() == 8);
    QTest::keyClick(&lanes, Qt::Key_Comma);
    QTest::keyClick(&lanes, Qt::Key_Comma);
    CHECK(timeline.cursor.step() == 6);
    CHECK(timeline.text("stepTitleLabel") == "Step 6");
    QTest::keyClick(&lanes, Qt::Key_Escape);
    CHECK(!timeline.cursor.step());
}

TEST_CASE("a click selects a step for all pages, and a drag moves the lanes") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(6);
    REQUIRE(timeline.shows(6));
    const LanesGeometry geometry = timeline.lanes().geometryOfLanes();
    const TracedStep& step = *timeline.model().trace()->find(5);
    const double x = geometry.xOf(timeline.model().clock().shownAt(step.beginNs + 5 * kTracedMs));
    QTest::mouseClick(&timeline.lanes(), Qt::LeftButton, {}, QPoint(static_cast<int>(x), 40));
    CHECK(timeline.cursor.step() == 5);
    CHECK(timeline.lanes().textAt({x, 40}).contains("backward: lasts 10.0 ms"));
    const double left = timeline.model().left();
    QTest::mousePress(&timeline.lanes(), Qt::LeftButton, {}, QPoint(500, 40));
    QTest::mouseMove(&timeline.lanes(), QPoint(600, 40));
    QTest::mouseRelease(&timeline.lanes(), Qt::LeftButton, {}, QPoint(600, 40));
    CHECK(timeline.model().left() == Approx(left - 100 / geometry.pixelsPerNs()));
    CHECK(timeline.cursor.step() == 5);
}

TEST_CASE("a run that is opened while the page is hidden replaces all values of the previous run") {
    Timeline timeline;
    auto& strip = timeline.part<StepStrip>("stepStripArea");
    {
        TracedRun slow(timeline.run, 4, 3);
        slow.steps(3, 90);
        REQUIRE(timeline.shows(3));
        REQUIRE(waitFor([&] { return strip.fullNs() > 5e7; }));
    }
    timeline.page.hide();
    timeline.run.reset();
    TracedRun fast(timeline.run, 4, 3);
    fast.steps(3, 10);
    timeline.page.show();
    REQUIRE(timeline.shows(3));
    CHECK(waitFor([&] { return strip.fullNs() < 5e7; }));
}

TEST_CASE("the side panel becomes wide enough for the columns of a run with many ranks") {
    Timeline timeline;
    timeline.page.resize(1100, 640);
    {
        TracedRun few(timeline.run, 2, 1);
        few.steps(2);
        REQUIRE(timeline.shows(2));
    }
    timeline.run.reset();
    TracedRun many(timeline.run, 40, 39);
    many.steps(2);
    REQUIRE(timeline.shows(2));
    const auto& area = timeline.part<QScrollArea>("timelineSideArea");
    CHECK(waitFor([&] { return area.widget()->minimumSizeHint().width() <= area.viewport()->width(); }));
    CHECK(area.widget()->minimumSizeHint().width() > 300);  // more than for two ranks
}

TEST_CASE("What if counts a single measured step in the singular") {
    Timeline timeline;
    TracedRun run(timeline.run, 4, 2);
    run.steps(1);
    CHECK(waitFor(
        [&] { return timeline.text("whatIfRangeLabel") == "step time measured over 1 step; no change selected"; }));
}

TEST_CASE("What if shows the median of the verdict beside the mean, which a single long step raises") {
    Timeline timeline;
    TracedRun run(timeline.run, 4, 2);
    run.steps(20);
    run.steps(1, 597);
    REQUIRE(timeline.shows(21));
    CHECK(waitFor([&] { return timeline.text("verdictTitleLabel").endsWith("of 33.0 ms per step (median)."); }));
    // (19 x 33 ms + 600 ms) / 20: the first step is not measured, because no end of a step before it is known.
    CHECK(waitFor([&] { return timeline.text("whatIfResultLabel") == "median 33.0 ms, mean 61.4 ms per step"; }));
}

TEST_CASE("What if redraws the steps and predicts their time") {
    Timeline timeline;
    TracedRun run(timeline.run, 4, 2);
    run.steps(20);
    REQUIRE(timeline.shows(20));
    timeline.part<QPushButton>("whatIfButton").click();
    REQUIRE(waitFor([&] { return timeline.text("whatIfResultLabel") == "13.0 ms per step (mean)"; }));
    CHECK(timeline.model().showsReplay());
    CHECK(timeline.text("lanesTitleLabel").endsWith("predicted"));
    CHECK(timeline.text("unchangedReplayLabel") ==
          "simulation without a change: 33.0 ms, differs by 0.0 % from the measured time");
    CHECK(timeline.text("whatIfRangeLabel").contains("now 33.0 ms: 2.5 times as fast"));
    const TracedStep& step = timeline.model().trace()->steps().rbegin()->second;
    CHECK(step.endNs - step.beginNs == 13 * kTracedMs);
    // While a run is live, no second run is started, which would disturb it.
    CHECK(!timeline.part<QPushButton>("proveButton").isEnabled());
    run.end(RunOutcome::kFinished);
    REQUIRE(waitFor([&] { return timeline.part<QPushButton>("proveButton").isEnabled(); }));
    timeline.part<QCheckBox>("whatIfDelayCheckBox").setChecked(false);
    REQUIRE(waitFor([&] { return !timeline.model().showsReplay(); }));
    CHECK(timeline.text("whatIfResultLabel") == "median 33.0 ms, mean 33.0 ms per step");
    CHECK(!timeline.part<QPushButton>("proveButton").isEnabled());
}

TEST_CASE("a check by running is green if it confirms the prediction, red otherwise, and fully visible") {
    // Without its delay rank 2 works for 10 ms like the others: steps of 13 ms are predicted.
    const auto [worksMs, outcome, tone] = GENERATE(table<std::int64_t, const char*, const char*>(
        {{10, "<b>Confirmed:</b> 13.0 ms measured", "good"}, {7, "<b>Not confirmed:</b> 10.0 ms measured", "danger"}}));
    const FakeRun fake("checks");
    const std::filesystem::path traced = fake.folder.filePath("traced").toStdString();
    std::filesystem::create_directory(traced);
    std::string trace;
    for (std::int64_t step = 1; step <= 10; ++step)
        for (int rank = 0; rank < 4; ++rank)
            trace += encode(Event(tracedStep(rank, step, step * (worksMs + 3), worksMs, worksMs)));
    std::ofstream(traced / "config.json") << RunConfig().toText();
    std::ofstream(traced / "trace.jsonl") << trace;
    Timeline timeline(FakeRun::program());
    timeline.page.resize(1100, 560);
    TracedRun run(timeline.run, 4, 2, fake.folder.filePath("run").toStdString());
    run.steps(20);
    run.end(RunOutcome::kFinished);
    REQUIRE(timeline.shows(20));
    CHECK(timeline.checkByRunning().startsWith(outcome));
    auto& label = timeline.part<QLabel>("checkResultLabel");
    CHECK(label.property("tone") == tone);
    CHECK(waitFor([&] { return label.visibleRegion().boundingRect() == label.rect(); }));
    // The result belongs to this change only.
    timeline.part<QCheckBox>("whatIfDelayCheckBox").setChecked(false);
    CHECK(waitFor([&] { return !label.isVisible(); }));
}

TEST_CASE("a check that cannot run is not measurable, and neither green nor red") {
    Timeline timeline;  // without a ringsidectl
    TracedRun run(timeline.run, 4, 2, QDir::tempPath().toStdString() + "/no-run");
    run.steps(20);
    run.end(RunOutcome::kFinished);
    REQUIRE(timeline.shows(20));
    CHECK(timeline.checkByRunning() ==
          "<b>Not measured:</b> /nonexistent/ringsidectl could not be started: build it, or put it beside the "
          "ringside program.");
    CHECK(timeline.part<QLabel>("checkResultLabel").property("tone").toString().isEmpty());
}

TEST_CASE("after a failure the timeline shows its end and which rank waited for which") {
    Timeline timeline;
    TracedRun run(timeline.run, 3, 1);
    run.steps(12);
    REQUIRE(timeline.shows(12));
    QTest::keyClick(&timeline.lanes(), Qt::Key_F);
    for (const int rank : {0, 2}) {
        Heartbeat beat;
        beat.rank = rank;
        beat.step = 12;
        beat.phase = Phase::kWaiting;
        beat.collective = 13;
        beat.timeUs = 5'000'000;
        beat.stalledUs = 4'000'000;
        run.feed(beat);
    }
    run.beginMs = 5000;
    run.end(RunOutcome::kFailed, 1, "rank 1 was killed by signal 9");
    REQUIRE(waitFor([&] { return timeline.text("verdictTitleLabel").startsWith("Rank 1 was killed"); }));
    CHECK(timeline.model().follows());
    CHECK(timeline.model().visibleSteps().second == 12);
    REQUIRE(timeline.model().openSpans().size() == 3);
    CHECK(timeline.model().openSpans()[0].waitsFor == std::vector<int>{1});
    CHECK(timeline.model().openSpans()[2].waitsFor == std::vector<int>{1});
    CHECK(timeline.model().openSpans()[1].waitsFor.empty());
}

TEST_CASE("only a live run can be recorded") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(3);
    REQUIRE(timeline.shows(3));
    auto& record = timeline.part<QPushButton>("recordButton");
    int wanted = 0;
    QObject::connect(&timeline.page, &TimelinePage::recordWanted, &timeline.page, [&](int steps) { wanted = steps; });
    REQUIRE(record.isEnabled());
    record.click();
    CHECK(wanted == 50);
    run.end(RunOutcome::kFinished);
    REQUIRE(waitFor([&] { return record.toolTip().contains("ended"); }));
    CHECK_FALSE(record.isEnabled());
}

TEST_CASE("a live watched script cannot be recorded on request") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.feed(ScriptFacts{0, "process", R"({"script":"train.py"})", 0});
    run.steps(3);
    REQUIRE(timeline.shows(3));
    auto& record = timeline.part<QPushButton>("recordButton");
    CHECK_FALSE(record.isEnabled());
    CHECK(record.text() == "Record 50 steps");
    CHECK(record.toolTip().startsWith("A watched script cannot record steps on request"));
}

TEST_CASE("a failure names fields with the labels of the form") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(3);
    run.end(RunOutcome::kFailed, 1, "rank 1 hung at step 4: raise parallel.timeout_seconds");
    REQUIRE(waitFor([&] { return timeline.text("verdictTitleLabel").contains("hung"); }));
    CHECK(timeline.text("verdictTitleLabel") == "Rank 1 hung at step 4: raise Rank timeout, seconds");
}

TEST_CASE("recorded steps are shown when they are complete") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(3);
    REQUIRE(timeline.shows(3));
    auto& record = timeline.part<QPushButton>("recordButton");
    record.click();
    CHECK_FALSE(record.isEnabled());
    CHECK(record.text() == "Recording ...");
    CHECK(timeline.page.focusWidget() == &timeline.lanes());
    run.feed(Controlled{ControlKind::kRecord, 50, 3, 0, {}, 1000});  // steps 4 to 53
    run.steps(49);
    REQUIRE(timeline.shows(52));
    CHECK(timeline.model().follows());
    run.steps(8);
    REQUIRE(timeline.shows(60));
    CHECK_FALSE(timeline.model().follows());
    CHECK(timeline.model().chosenStep() == 4);
    CHECK(timeline.text("lanesTitleLabel") == "Step 4");
    CHECK(record.isEnabled());
    CHECK(record.text() == "Record 50 steps");
    timeline.model().follow();
    run.steps(3);
    REQUIRE(timeline.shows(63));
    CHECK(timeline.model().follows());
}

TEST_CASE("the keys of the lanes work while a button of the page has the focus") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(6);
    REQUIRE(timeline.shows(6));
    const double before = timeline.model().span();
    auto& record = timeline.part<QPushButton>("recordButton");
    QTest::keyClick(&record, Qt::Key_W);
    CHECK(timeline.model().span() < before);
    QTest::keyClick(&record, Qt::Key_F);
    CHECK(timeline.model().visibleSteps() == std::pair<std::int64_t, std::int64_t>(1, 6));
}

TEST_CASE("the legend shows all phases in a narrow window") {
    Timeline timeline;
    timeline.page.resize(950, 600);
    TracedRun run(timeline.run, 2, 1);
    run.steps(6);
    REQUIRE(timeline.shows(6));
    timeline.model().fit();
    auto& legend = timeline.part<PhaseLegend>("phaseLegendArea");
    CHECK(legend.width() >= legend.minimumSizeHint().width());
    // Computed by hand: a row is 22 px high, and half of the width of one row needs at least two rows.
    PhaseLegend narrow(timeline.model(), timeline.theme);
    narrow.resize(legend.sizeHint().width() / 2, 22);
    narrow.show();
    CHECK(narrow.minimumHeight() >= 2 * 22);
    CHECK(narrow.minimumHeight() <= 6 * 22);
}

TEST_CASE("a stalled step is part of the wait, and its length does not span the wait") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(3);
    for (int rank = 0; rank < 2; ++rank)  // one rank 500 ms after the other
        run.feed(traceOf(OpenStep{rank, 4, 0, Phase::kWaiting, (run.beginMs + rank * 500) * kTracedMs}));
    run.beginMs += 4000;
    run.end(RunOutcome::kFailed, 1, "rank 1 hung at step 4 of epoch 0");
    REQUIRE(waitFor([&] { return timeline.model().openSpans().size() == 2; }));
    const LaneClock& clock = timeline.model().clock();
    CHECK(clock.stretches().back().lastStep == 3);
    CHECK(clock.wholeShown() - clock.endShown() < 2 * clock.stepLength());
    const std::int64_t late = timeline.model().openSpans()[1].beginNs;
    CHECK(clock.shownAt(late) < clock.endShown() + 0.2 * (clock.wholeShown() - clock.endShown()));  // a fifth of 4 s
}

TEST_CASE("the visible steps are shown as a table, and saved as a table and a picture") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(6);
    REQUIRE(timeline.shows(6));
    auto& more = timeline.part<ViewExport>("timelineMoreButton");
    const QTemporaryDir folder;
    for (const char* name : {"t.csv", "t.png", "t.svg"}) {
        QString done;
        const QObject context;
        QObject::connect(&timeline.page, &Page::saved, &context, [&](const QString& sentence) { done = sentence; });
        const QString file = folder.filePath(QLatin1String(name));
        if (file.endsWith(".csv")) {
            more.saveTable(timelineTable(timeline.model().trace(), 1, 6), file);
        } else {
            more.savePicture(file);
        }
        REQUIRE(waitFor([&] { return !done.isEmpty(); }));
        CHECK(QFileInfo(file).size() > 200);
    }
    CHECK(timeline.page.exportActions().size() == 4);  // a table, two pictures, all steps for Perfetto
    more.findChild<QAction*>("showTableAction")->toggle();
    REQUIRE(waitFor([&] { return timeline.part<QTableView>("timelineTableView").isVisible(); }));
    CHECK(timeline.part<QTableView>("timelineTableView").model()->rowCount() == 4);
}

TEST_CASE("in slow motion the current phases of the ranks are framed") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(3);
    REQUIRE(timeline.shows(3));
    auto& legend = timeline.part<PhaseLegend>("phaseLegendArea");
    CHECK(legend.litPhases().empty());
    run.feed(Controlled{ControlKind::kRate, 2, 3, 0, {}, 1000});
    Heartbeat beat;
    beat.phase = Phase::kForward;
    run.feed(beat);
    REQUIRE(waitFor([&] { return !legend.litPhases().empty(); }));
    CHECK(legend.litPhases() == std::vector<Phase>{Phase::kForward});
    run.feed(Controlled{ControlKind::kPause, 0, 3, 0, Phase::kBackward, 2000});
    REQUIRE(waitFor([&] { return legend.litPhases() == std::vector<Phase>{Phase::kBackward}; }));
}

TEST_CASE("the state of a paused rank is beside the mark of its phase, not below it") {
    Timeline timeline;
    TracedRun run(timeline.run, 2, 1);
    run.steps(3);
    REQUIRE(timeline.shows(3));
    run.feed(Controlled{ControlKind::kPause, 0, 3, 0, Phase::kOptimizer, 2000});
    auto* lanes = timeline.page.findChild<LanesWidget*>();
    QList<PaintedText> states;
    REQUIRE(waitFor([&] {
        states.clear();
        for (const PaintedText& one : paintedTexts(*lanes))
            if (one.text == "after optimizer") states << one;
        return states.size() == 2;
    }));
    for (const PaintedText& one : states) CHECK(one.place.right() <= LanesGeometry::kNames - 10);
}
