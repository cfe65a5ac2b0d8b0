// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/catch.h"
#include "telemetry/data/run_data.h"

using namespace ringside;

namespace {

RunStarted run(int worldSize) {
    RunStarted started;
    started.worldSize = worldSize;
    started.stepsPerEpoch = 10;
    started.epochs = 4;
    return started;
}

StepsFrame step(int rank, std::int64_t number, std::int64_t endUs) {
    StepsFrame frame;
    frame.rank = rank;
    frame.epoch = (number - 1) / 10;
    frame.step = {number};
    frame.loss = {1.0 / static_cast<double>(number)};
    frame.correct = {16};
    frame.samples = {32};
    frame.endUs = {endUs};
    frame.gradientNorm = {0.5};
    frame.learningRate = 0.1;
    return frame;
}

}  // namespace

TEST_CASE("run data has ranks only after the run line and ignores other ranks") {
    RunData data;
    CHECK(data.apply(RankState{0, RankStage::kTraining, "", 0, 0}) == 0);
    CHECK(data.apply(run(2)) == (kRunStartedChanged | kRanksChanged));
    CHECK(data.totalSteps() == 40);
    CHECK(data.apply(RankState{1, RankStage::kTraining, "CPU 1", 99, 5}) == kRanksChanged);
    CHECK(data.ranks()[1].state == RankStage::kTraining);
    CHECK(data.ranks()[1].device == "CPU 1");
    CHECK(data.ranks()[1].pid == 99);
    CHECK(data.apply(RankState{2, RankStage::kTraining, "", 0, 0}) == 0);
    CHECK(data.apply(run(3)) == 0);
    CHECK(data.ranks().size() == 2);
    CHECK(std::isnan(data.ranks()[0].loss));
}

TEST_CASE("a rank's wait for data is a part of the time from its first step on") {
    RunData data;
    data.apply(run(1));
    for (std::int64_t number = 1; number <= 3; ++number) {
        StepsFrame frame = step(0, number, number * 1000);
        frame.dataUs = {number == 1 ? 900 : 250};  // the first wait lies before the measured time
        data.apply(frame);
    }
    CHECK(data.ranks()[0].dataUs == 500);
    CHECK(data.ranks()[0].dataShare() == 0.25);
}

TEST_CASE("steps of all ranks become points of the global curves") {
    RunData data;
    std::vector<std::int64_t> global;
    data.onGlobalStep = [&](const GlobalStep& one) { global.push_back(one.step); };
    data.apply(run(2));
    for (std::int64_t number = 1; number <= 20; ++number) {
        data.apply(step(0, number, number * 50000));
        data.apply(step(1, number, number * 50000));
    }
    CHECK(global.size() == 20);
    CHECK(data.curves().loss().points().size() == 20);
    CHECK(data.curves().loss().points()[1].mean == 0.5F);
    CHECK(data.curves().loss().points()[4].epoch == 0.5);
    CHECK(data.curves().accuracy().points()[0].mean == 0.5F);
    CHECK(data.curves().gradientNorm().points()[0].mean == 0.5F);
    CHECK(data.curves().learningRate().points()[0].mean == 0.1F);
    CHECK(data.lastStep()->step == 20);
    CHECK(data.ranks()[1].step == 20);
    CHECK(data.ranks()[1].lossSeries.points().size() == 20);
    // 32 samples every 50 ms on each of two ranks.
    CHECK(data.ranks()[0].samplesPerSecond == Approx(640));
    REQUIRE_FALSE(data.curves().throughput().points().empty());
    CHECK(data.curves().throughput().points()[0].mean == Approx(1280));
    // 20 of 40 steps are left at 20 steps a second.
    REQUIRE(data.secondsLeft());
    CHECK(*data.secondsLeft() == Approx(1.0));
    CHECK(data.lastTimeUs() == 1000000);
}

TEST_CASE("without curves a run still has its steps and speed") {
    RunData data(Curves::kLeftOut);
    std::int64_t global = 0;
    data.onGlobalStep = [&](const GlobalStep& one) { global += one.step; };
    data.apply(run(2));
    for (std::int64_t number = 1; number <= 20; ++number) {
        data.apply(step(0, number, number * 50000));
        data.apply(step(1, number, number * 50000));
    }
    CHECK(global == 210);
    CHECK(data.lastStep()->step == 20);
    CHECK(data.ranks()[0].samplesPerSecond == Approx(640));
    REQUIRE(data.secondsLeft());
    CHECK(*data.secondsLeft() == Approx(1.0));
    CHECK(data.curves().loss().points().empty());
    CHECK(data.curves().throughput().points().empty());
    CHECK(data.ranks()[1].lossSeries.points().empty());
}

TEST_CASE("run data can keep only the curves over all ranks") {
    RunData data(Curves::kGlobal);
    data.apply(run(2));
    for (std::int64_t number = 1; number <= 20; ++number) {
        data.apply(step(0, number, number * 50000));
        data.apply(step(1, number, number * 50000));
    }
    ConsumedIndices trained;
    trained.index = {1, 2, 3};
    data.apply(trained);
    CHECK(data.curves().loss().points().size() == 20);
    CHECK(data.curves().learningRate().points().size() == 20);
    CHECK(data.ranks()[1].lossSeries.points().empty());
    CHECK(data.ranks()[1].accuracySeries.points().empty());
    CHECK(data.ranks()[0].indices.empty());
}

TEST_CASE("steps that arrive far apart are joined in order") {
    RunData data(Curves::kLeftOut);
    std::vector<std::int64_t> global;
    data.onGlobalStep = [&](const GlobalStep& one) { global.push_back(one.step); };
    data.apply(run(2));
    // One rank is always some steps ahead, so that its queue never becomes empty.
    for (std::int64_t number = 1; number <= 5000; ++number) {
        data.apply(step(0, number, number));
        if (number > 3) data.apply(step(1, number - 3, number));
    }
    REQUIRE(global.size() == 4997);
    for (std::size_t i = 0; i < global.size(); ++i) REQUIRE(global[i] == static_cast<std::int64_t>(i) + 1);
}

TEST_CASE("the speed of a very short run is that of the whole run") {
    RunData data;
    data.apply(run(1));
    // 32 samples every 0.5 ms, except for one step, which waited.
    for (std::int64_t number = 1; number <= 100; ++number) {
        data.apply(step(0, number, number * 500 + (number > 50 ? 500 : 0)));
    }
    CHECK(data.curves().throughput().points().empty());  // the interval of 0.5 s has not ended
    data.apply(RunEnded{});
    const auto points = data.curves().throughput().points();
    REQUIRE(points.size() == 2);  // from its first step to its last
    CHECK(points[0].step == 1);
    CHECK(points[1].step == 100);
    for (const SeriesPoint& point : points) CHECK(point.mean == Approx(99 * 32 / 0.05));
}

TEST_CASE("a speed is that of half a second at least, over the whole run") {
    RunData data;
    data.apply(run(1));
    // 32 samples every 10 ms; then, for 0.1 s, every millisecond.
    for (std::int64_t number = 1; number <= 101; ++number) data.apply(step(0, number, number * 10000));
    for (std::int64_t number = 102; number <= 201; ++number) {
        data.apply(step(0, number, 1'010'000 + (number - 101) * 1000));
    }
    data.apply(RunEnded{});
    const auto points = data.curves().throughput().points();
    REQUIRE(points.size() == 4);
    CHECK(points[0].step == 1);
    CHECK(points[1].step == 51);
    CHECK(points[2].step == 101);
    CHECK(points[2].mean == Approx(3200));
    CHECK(points[3].step == 201);
    CHECK(points[3].mean == Approx(150 * 32 / 0.6));  // the last 0.1 s and the 0.5 s before
}

TEST_CASE("the remaining time is not known before the first steps and after the end") {
    RunData data;
    data.apply(run(1));
    CHECK_FALSE(data.secondsLeft());
    data.apply(step(0, 1, 1000));
    CHECK_FALSE(data.secondsLeft());
    data.apply(step(0, 2, 2000));
    CHECK(data.secondsLeft());
    CHECK(data.apply(RunEnded{}) == kEndChanged);
    CHECK_FALSE(data.secondsLeft());
}

TEST_CASE("replicas are compared once every rank has reported a step") {
    RunData data;
    data.apply(run(3));
    data.apply(Replica{0, 10, "a"});
    data.apply(Replica{1, 10, "a"});
    CHECK_FALSE(data.ranks()[0].inSync);
    data.apply(Replica{2, 10, "b"});
    CHECK(data.ranks()[0].inSync == true);
    CHECK(data.ranks()[1].inSync == true);
    CHECK(data.ranks()[2].inSync == false);
    data.apply(Replica{0, 20, "c"});
    CHECK(data.ranks()[2].inSync == false);
    data.apply(Replica{1, 20, "c"});
    data.apply(Replica{2, 20, "c"});
    CHECK(data.ranks()[2].inSync == true);
}

TEST_CASE("epoch results go to their split, checkpoints and consumed hashes are kept") {
    RunData data;
    data.apply(run(1));
    EpochResult result;
    result.split = SplitKind::kValidation;
    result.accuracy = 0.9;
    CHECK(data.apply(result) == kEpochsChanged);
    result.split = SplitKind::kTrain;
    data.apply(result);
    CHECK(data.validationEpochs().size() == 1);
    CHECK(data.trainingEpochs().size() == 1);
    CHECK(data.apply(CheckpointSaved{10, "checkpoints/step-00000010", 1}) == kCheckpointsChanged);
    CHECK(data.checkpoints()[0].step == 10);
    data.apply(Consumed{0, 0, 360, "ab"});
    CHECK(data.ranks()[0].consumed[0].sha256 == "ab");
}

TEST_CASE("the newest reported samples are kept, and all are counted") {
    RunData data;
    data.apply(run(2));
    const std::vector<std::int64_t> half(RunRanks::kMaxIndices / 4, 7);  // of what one of two ranks may hold
    for (std::int64_t step = 1; step <= 5; ++step) {
        CHECK(data.apply(ConsumedIndices{1, 0, step, 0, half}) == kConsumedChanged);
    }
    CHECK(data.ranks()[1].indicesCount == 5);
    REQUIRE(data.ranks()[1].indices.size() == 2);
    CHECK(data.ranks()[1].indices.front().step == 4);
    CHECK(data.ranks()[0].indices.empty());
    CHECK(data.apply(ConsumedIndices{2, 0, 1, 0, {1}}) == 0);
}

TEST_CASE("the last line of samples is kept at any length") {
    RunData data;
    data.apply(run(2));
    const std::vector<std::int64_t> all(RunRanks::kMaxIndices / 2, 7);  // of what one of two ranks may hold
    for (const std::int64_t step : {1, 2}) data.apply(ConsumedIndices{1, 0, step, 0, all});
    REQUIRE(data.ranks()[1].indices.size() == 1);
    CHECK(data.ranks()[1].indices.front().step == 2);
    data.apply(ConsumedIndices{0, 0, 1, 0, std::vector<std::int64_t>(RunRanks::kMaxIndices / 2 + 1, 7)});
    CHECK(data.ranks()[0].indices.size() == 1);
}

TEST_CASE("a trace changes the data only if it belongs to a rank of the run") {
    RunData data;
    StepTrace trace;
    trace.rank = 1;
    trace.step = 1;
    CHECK(data.apply(trace) == 0U);
    data.apply(run(2));
    CHECK(data.apply(trace) == kTraceChanged);
    trace.rank = 2;
    CHECK(data.apply(trace) == 0U);
}

TEST_CASE("the log keeps its newest lines and counts dropped ones") {
    RunData data;
    for (int i = 0; i < 5003; ++i) data.apply(LogLine{-1, LogLevel::kInfo, std::to_string(i), i});
    CHECK(data.log().size() == RunData::kMaxLogLines);
    CHECK(data.log().front().text == "3");
    CHECK(data.logLinesDropped() == 3);
}

TEST_CASE("a heartbeat moves step and phase but never backwards") {
    RunData data;
    data.apply(run(1));
    data.apply(step(0, 7, 100));
    data.apply(Heartbeat{0, 5, 1, Phase::kWaiting, 41, 1 << 20, 2, 200, 0, {}, 0, 4});
    CHECK(data.ranks()[0].step == 7);
    CHECK(data.ranks()[0].phase == Phase::kWaiting);
    CHECK(data.ranks()[0].collective == 41);
    CHECK(data.ranks()[0].droppedSteps == 2);
    CHECK(data.ranks()[0].droppedEvents == 4);
    CHECK(data.ranks()[0].lastSeenUs == 200);
}

TEST_CASE("a heartbeat from the epoch before the last step does not move a rank back") {
    RunData data;
    data.apply(run(1));
    data.apply(Heartbeat{.rank = 0, .step = 7, .epoch = 1});
    data.apply(Heartbeat{.rank = 0, .step = 4, .epoch = 0});
    CHECK(data.ranks()[0].step == 7);
    CHECK(data.ranks()[0].epoch == 1);
}

TEST_CASE("phase times are the mean over the ranks of the steps that all of them traced") {
    RunData data;
    data.apply(run(2));
    for (int rank = 0; rank < 2; ++rank) {
        for (std::int64_t number = 1; number <= 4; ++number) {
            StepsFrame frame = step(rank, number, number * 1000);
            if (number != 3 || rank == 0) frame.traced = {number};  // rank 1 has no trace of step 3
            if (!frame.traced.empty())
                frame.phaseNs[static_cast<std::size_t>(Phase::kBackward)] = {(2 + 4 * rank) * 1'000'000};
            data.apply(frame);
        }
    }
    const auto points = data.curves().phaseTime(Phase::kBackward).points();
    REQUIRE(points.size() == 3);
    CHECK(points[0].mean == Approx(4));
    CHECK(points[2].step == 4);
    CHECK(data.curves().phaseTime(Phase::kForward).points().size() == 3);
    CHECK(data.curves().phaseTime(Phase::kForward).points()[0].mean == 0);
}

TEST_CASE("a run that continues with fewer ranks keeps its steps, and the remaining ranks complete new ones") {
    RunData data;
    data.apply(run(2));
    data.apply(RankState{1, RankStage::kTraining, "", 7, 1, -1, "Ada"});
    CHECK(data.ranks()[1].host == "Ada");
    data.apply(step(0, 1, 1000));
    data.apply(step(1, 1, 1000));
    REQUIRE(data.lastStep());
    CHECK(data.lastStep()->step == 1);
    CHECK(data.apply(run(2)) == 0);  // started again with the same ranks
    RunStarted fewer = run(1);
    fewer.stepsBefore = 1;
    fewer.stepsPerEpoch = 20;
    CHECK(data.apply(fewer) == (kRunStartedChanged | kRanksChanged));
    CHECK(data.ranks().size() == 1);
    CHECK(data.totalSteps() == 80);
    data.apply(step(0, 2, 2000));
    CHECK(data.lastStep()->step == 2);
    CHECK(data.apply(step(1, 2, 2000)) == 0);  // the rank no longer exists
}

TEST_CASE("in slow motion the remaining time follows from the chosen speed") {
    RunData data;
    data.apply(run(1));  // the run has 40 steps
    for (std::int64_t number = 1; number <= 10; ++number) data.apply(step(0, number, number * 10'000));
    CHECK(*data.secondsLeft() == Approx(30 / 100.0));  // 30 steps at 100 steps per second
    data.apply(Controlled{.command = ControlKind::kRate, .value = 1, .step = 10});
    CHECK(*data.secondsLeft() == Approx(30));
    data.apply(step(0, 11, 1'100'000));
    data.apply(step(0, 12, 2'100'000));
    CHECK(*data.secondsLeft() == Approx(28));
    data.apply(step(0, 13, 12'100'000));  // slower than allowed: two steps in 11 s
    CHECK(*data.secondsLeft() == Approx(27 * 11 / 2.0));
    data.apply(Controlled{.command = ControlKind::kRate, .value = 0, .step = 13});
    CHECK_FALSE(data.secondsLeft());  // not known until steps at full speed were seen
}
