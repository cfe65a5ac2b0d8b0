// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <algorithm>

#include "base/json/json.h"
#include "support/catch.h"
#include "timeline/model/lane_clock.h"
#include "timeline/model/lane_spans.h"
#include "timeline/page/timeline_table.h"
#include "timeline/page/trace_export.h"
#include "timeline/step/step_numbers.h"
#include "timeline/whatif/check_outcome.h"
#include "timeline/whatif/check_plan.h"
#include "traced_run.h"

using namespace ringside;

namespace {

TraceData threeRanks(std::int64_t first, std::int64_t last) {
    TraceData data(3);
    for (std::int64_t step = first; step <= last; ++step)
        for (int rank = 0; rank < 3; ++rank) data.apply(tracedStep(rank, step, step * 33, rank == 2 ? 30 : 10, 30));
    return data;
}

}  // namespace

TEST_CASE("consecutive steps keep their distances, gaps without traces are shortened") {
    TraceData data = threeRanks(1, 3);
    for (int rank = 0; rank < 3; ++rank) data.apply(tracedStep(rank, 10, 1000, 10, 30));
    LaneClock clock;
    clock.read(data);
    REQUIRE(clock.stretches().size() == 2);
    CHECK(clock.shownAt(33 * kTracedMs) == 0);
    CHECK(clock.shownAt(66 * kTracedMs) == 33.0 * kTracedMs);
    CHECK(clock.stretches()[1].untraced == 6);
    CHECK(clock.stretches()[1].firstStep == 10);
    const double cut = clock.stretches()[1].shown - clock.stretches()[0].shownEnd();
    CHECK(cut > 0);
    CHECK(cut < 33.0 * kTracedMs);
    // A time within the cut is shown before the times after it. Each time of a step is converted to a position and back
    // to itself.
    CHECK(clock.shownAt(500 * kTracedMs) <= clock.stretches()[1].shown);
    for (const std::int64_t ms : {40, 99, 1001, 1032})
        CHECK(clock.timeAt(clock.shownAt(ms * kTracedMs)) == ms * kTracedMs);
}

// Steps of 33 ms from 33 ms on; step 2 begins at 66 ms and has a pause of 60 s after 4 ms of work.
TEST_CASE("a long pause within a step is shortened, a short one keeps its length") {
    for (const std::int64_t pauseMs : {60'000, 5}) {
        TraceData data(3);
        for (int rank = 0; rank < 3; ++rank) {
            data.apply(tracedStep(rank, 1, 33, rank == 2 ? 30 : 10, 30));
            data.apply(pausedStep(tracedStep(rank, 2, 66, rank == 2 ? 30 : 10, 30), pauseMs));
            data.apply(tracedStep(rank, 3, 99 + pauseMs, rank == 2 ? 30 : 10, 30));
        }
        LaneClock clock;
        clock.read(data);
        CHECK(clock.stepLength() == 33.0 * kTracedMs);
        const bool isLong = pauseMs > 1000;
        REQUIRE(clock.stretches().size() == (isLong ? 2 : 1));
        CHECK(clock.endShown() == Approx((isLong ? 99 + 0.14 * 33 : 99 + 5) * kTracedMs));
        for (const std::int64_t ms : {std::int64_t{40}, std::int64_t{69}, 71 + pauseMs, 120 + pauseMs})
            CHECK(clock.timeAt(clock.shownAt(ms * kTracedMs)) == ms * kTracedMs);
        if (!isLong) continue;
        CHECK(clock.stretches()[1].afterPause);
        CHECK(clock.stretches()[1].cutNs == pauseMs * kTracedMs);
        CHECK(clock.stretches()[1].firstStep == 2);
        CHECK(clock.stretches()[1].lastStep == 3);
    }
}

TEST_CASE("open activity at the end of a run is shown after its last step") {
    LaneClock clock;
    clock.read(threeRanks(1, 3));
    const double end = clock.endShown();
    CHECK(clock.wholeShown() == end);
    clock.setOpenEnd(60'000 * kTracedMs);
    CHECK(clock.wholeShown() > end);
    CHECK(clock.wholeShown() < end + 33.0 * kTracedMs);
    CHECK(clock.shownAt(60'000 * kTracedMs) == clock.wholeShown());
}

TEST_CASE("a wait is attributed to the last rank, which itself does not wait") {
    const TraceData data = threeRanks(1, 1);
    const TracedStep& step = *data.find(1);
    const std::vector<LaneSpan> spans = laneSpans(step, 0);
    REQUIRE(spans.size() == 4);  // backward, waiting, moving, optimizer
    CHECK(spans[1].phase == Phase::kWaiting);
    CHECK(spans[1].endNs - spans[1].beginNs == 20 * kTracedMs);
    CHECK(spans[1].waitsFor == 2);
    for (const LaneSpan& span : laneSpans(step, 2)) CHECK(span.waitsFor == -1);
    const std::vector<LaneArrow> arrows = laneArrows(step);
    REQUIRE(arrows.size() == 2);
    CHECK(arrows[0].from == 2);
    CHECK(arrows[0].to == 0);
    CHECK(arrows[1].to == 1);
    CHECK(latenessOf(step, 2) == 20 * kTracedMs);
    CHECK(latenessOf(step, 1) == 0);
}

TEST_CASE("the numbers of a step mark the value farthest from the median of the ranks") {
    const TraceData data = threeRanks(7, 7);
    const StepNumbers numbers = stepNumbers(*data.find(7), 0);
    CHECK(numbers.lengthMs == Approx(33));
    CHECK(numbers.ranks == std::vector<int>{0, 1, 2});
    // (20 + 2) ms on two ranks, 2 ms on the third, of 33 ms.
    CHECK(numbers.exposed == Approx((22 + 22 + 2) / 3.0 / 33));
    for (const StepNumbers::Row& row : numbers.rows) {
        if (row.name == "backward") {
            CHECK(row.ms == std::vector<double>{10, 10, 30});
            CHECK(row.outlier == 2);
        } else {
            CHECK(row.outlier == -1);
        }
        if (row.name == "waiting") CHECK(row.ms == std::vector<double>{20, 20, 0});
    }
}

TEST_CASE("a pause within a step is a row of its own, and no part of the length of the step") {
    TraceData data(3);
    for (int rank = 0; rank < 3; ++rank) data.apply(pausedStep(tracedStep(rank, 7, 0, rank == 2 ? 30 : 10, 30), 1000));
    const StepNumbers numbers = stepNumbers(*data.find(7), 0);
    CHECK(numbers.pausedMs == Approx(1000));
    CHECK(numbers.lengthMs == Approx(33));
    CHECK(numbers.exposed == Approx((22 + 22 + 2) / 3.0 / 33));
    const auto paused = std::ranges::find(numbers.rows, QStringLiteral("paused"), &StepNumbers::Row::name);
    REQUIRE(paused != numbers.rows.end());
    CHECK(paused->ms == std::vector<double>{1000, 1000, 1000});
    CHECK(paused->outlier == -1);
    for (const StepNumbers::Row& row : numbers.rows) {
        if (row.name == "waiting") CHECK(row.ms == std::vector<double>{20, 20, 0});
        if (row.name == "moving") CHECK(row.ms == std::vector<double>{2, 2, 2});
    }
}

// Slow motion delays the stages of a pipeline one after another: while rank 0 is delayed for 100 ms, rank 1 waits for
// it, and the other way round.
TEST_CASE("a wait for a delayed stage of a pipeline is part of the pause, and no share exceeds 100 %") {
    const auto stepOf = [](int rank) {
        StepTrace trace;
        trace.rank = rank;
        trace.step = 7;
        trace.lengthNs = 220 * kTracedMs;
        const auto add = [&](Phase phase, std::int64_t atMs) {
            trace.phase.push_back(static_cast<std::int64_t>(phase));
            trace.at.push_back(atMs * kTracedMs);
            trace.cpu.push_back(0);
        };
        add(Phase::kForward, 0);
        add(rank == 0 ? Phase::kPaused : Phase::kWaiting, 4);
        if (rank == 0) add(Phase::kWaiting, 104);
        if (rank == 1) add(Phase::kForward, 106);
        if (rank == 1) add(Phase::kPaused, 110);
        add(Phase::kOptimizer, 210);
        return trace;
    };
    TraceData data(2);
    for (const int rank : {0, 1}) data.apply(stepOf(rank));
    const StepNumbers numbers = stepNumbers(*data.find(7), 0);
    CHECK(numbers.pausedMs == Approx(200));
    CHECK(numbers.lengthMs == Approx(20));
    // rank 0 waits from 104 to 110 ms, rank 1 from 104 to 106 ms
    CHECK(numbers.exposed == Approx((6 + 2) / 2.0 / 20));
    for (const StepNumbers::Row& row : numbers.rows) {
        if (row.name == "waiting") CHECK(row.ms == std::vector<double>{6, 2});
        if (row.name == "paused") CHECK(row.ms == std::vector<double>{200, 200});
    }
}

TEST_CASE("with many ranks the numbers show the median, the selected rank and the most different ones") {
    TraceData data(12);
    for (int rank = 0; rank < 12; ++rank) data.apply(tracedStep(rank, 1, 0, rank == 7 ? 30 : rank == 4 ? 20 : 10, 30));
    const StepNumbers numbers = stepNumbers(*data.find(1), 11);
    REQUIRE(numbers.ranks.size() == StepNumbers::kMaxColumns);
    CHECK(numbers.ranks.front() == -1);
    for (const int rank : {4, 7, 11}) CHECK(std::ranges::count(numbers.ranks, rank) == 1);
}

TEST_CASE("the table of the timeline has a row for each rank of each visible step") {
    const TraceData data = threeRanks(1, 5);
    const TableData table = timelineTable(&data, 2, 3);
    REQUIRE(table.rows == 6);
    const QStringList row = table.row(2);
    REQUIRE(row.size() == table.columns.size());
    CHECK(row[table.columns.indexOf("step")] == "2");
    CHECK(row[table.columns.indexOf("rank")] == "2");
    CHECK(row[table.columns.indexOf("backward_ms")] == "30.000000");
    CHECK(row[table.columns.indexOf("late_ms")] == "20.000000");
    CHECK(timelineTable(nullptr, 1, 9).rows == 0);
}

TEST_CASE("only changes that an experiment can make are checked, and other changes have a reason") {
    RunConfig run;
    run.stepPitfalls.slowRank = 2;
    run.training.epochs = 5;
    const Result<RunConfig> fast = checkExperiment(run, {.withoutDelayOf = 2});
    REQUIRE(fast);
    CHECK(fast.value().stepPitfalls.slowRank == -1);
    CHECK(fast.value().training.maxSteps == 200);
    CHECK_FALSE(checkExperiment(run, {.withoutDelayOf = 1}));
    CHECK_FALSE(checkExperiment(run, {.bandwidth = 2}));
    CHECK_FALSE(checkExperiment(run, {.noOverlap = true}));
    CHECK_FALSE(checkExperiment(run, {}));
    const Result<RunConfig> wider = checkExperiment(run, {.bucketMiB = 0.5, .worldSize = 6});
    REQUIRE(wider);
    CHECK(wider.value().parallel.worldSize == 6);
    CHECK(wider.value().parallel.bucketCapMb == 0.5);
    CHECK(wider.value().parallel.firstBucketMb == 0.5);
    run.parallel.throttle.gbitPerSecond = 2;
    const Result<RunConfig> throttled = checkExperiment(run, {.bandwidth = 4});
    REQUIRE(throttled);
    CHECK(throttled.value().parallel.throttle.gbitPerSecond == 8);
    CHECK_FALSE(checkExperiment(run, {.latency = 2}));
    run.parallel.strategy = StrategyKind::kPipeline;
    CHECK_FALSE(checkExperiment(run, {.worldSize = 6}));
}

TEST_CASE("a check confirms a prediction only if the measurement lies inside the predicted interval") {
    const ReplayResult prediction{.steps = 16, .unanswered = {}, .predicted = 4.0, .low = 2.6, .high = 5.9};
    const auto measured = [](double ms, std::int64_t steps) { return CheckRunResult{ms, steps, {}, {}}; };
    CHECK(checkOutcome(prediction, measured(2.6, 16)) == CheckOutcome::kConfirmed);
    CHECK(checkOutcome(prediction, measured(5.9, 16)) == CheckOutcome::kConfirmed);
    CHECK(checkOutcome(prediction, measured(2.5, 16)) == CheckOutcome::kNotConfirmed);
    CHECK(checkOutcome(prediction, measured(6.0, 16)) == CheckOutcome::kNotConfirmed);
    // 4.0 / 1.5 - 1 = 166.7 %, 4.0 / 8.0 - 1 = -50 %
    CHECK(checkText(prediction, measured(1.5, 16)) ==
          "<b>Not confirmed:</b> 1.5 ms measured, mean of 16 steps; 2.6 to 5.9 ms predicted (90 % interval). The "
          "prediction of 4.0 ms is 167 % too long.");
    CHECK(checkText(prediction, measured(8.0, 16)).endsWith("The prediction of 4.0 ms is 50 % too short."));
    CHECK(checkText(prediction, measured(4.2, 16)) ==
          "<b>Confirmed:</b> 4.2 ms measured, mean of 16 steps; 2.6 to 5.9 ms predicted (90 % interval).");
}

TEST_CASE("a check without enough steps, or whose run failed, measures nothing") {
    const ReplayResult prediction{.steps = 16, .unanswered = {}, .predicted = 4.0, .low = 2.6, .high = 5.9};
    const CheckRunResult few{4.0, 4, {}, {}}, failed{0, 0, {}, QStringLiteral("rank 1 died: a < b")};
    CHECK(checkOutcome(prediction, few) == CheckOutcome::kNotMeasurable);
    CHECK(checkText(prediction, few) == "<b>Not measured:</b> only 4 steps were traced; at least 5 are needed.");
    CHECK(checkOutcome(prediction, failed) == CheckOutcome::kNotMeasurable);
    CHECK(checkText(prediction, failed) == "<b>Not measured:</b> rank 1 died: a &lt; b");
}

TEST_CASE("the recorded steps are written for Perfetto, or the failure is reported") {
    const QTemporaryDir folder;
    const QString file = folder.filePath("trace.json");
    CHECK(writeTrace(threeRanks(1, 2), "digits", file).isEmpty());
    const Result<Json> json = readJsonFile(file.toStdString());
    REQUIRE(json);
    const Json& events = json.value()["traceEvents"];
    // In each of two steps, three ranks compute, two of them wait, and all update.
    CHECK(std::ranges::count_if(events, [](const Json& one) { return one.value("name", "") == "backward"; }) == 6);
    CHECK(writeTrace(threeRanks(1, 2), "digits", folder.filePath("no/such/folder.json")).startsWith("Not saved: "));
}
