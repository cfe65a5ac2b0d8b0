// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/step_windows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/catch.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Returns steps of 8 samples each. Step s has the loss s, s modulo 8 hits and the norm 2 s.
StepsFrame stepsFrom(std::int64_t first, std::int64_t last, int rank = 0) {
    StepsFrame frame;
    frame.rank = rank;
    frame.learningRate = 0.5;
    for (std::int64_t step = first; step <= last; ++step) {
        frame.step.push_back(step);
        frame.loss.push_back(static_cast<double>(step));
        frame.correct.push_back(static_cast<double>(step % 8));
        frame.samples.push_back(8);
        frame.endUs.push_back(100 * step);
        frame.gradientNorm.push_back(2 * static_cast<double>(step));
        frame.dataUs.push_back(3);
    }
    return frame;
}

StepGrain pairs() {
    StepGrain grain;
    grain.widen(0, 1);
    return grain;
}

StepGrain fours() {
    StepGrain grain;
    grain.widen(0, 2);
    return grain;
}

}  // namespace

TEST_CASE("a window has the mean, the range and the sums of its steps") {
    StepWindows windows(0);
    windows.add(stepsFrom(1, 5), 0, fours());
    const auto frames = windows.take();
    REQUIRE(frames.size() == 1);
    const StepsFrame& one = frames[0];
    CHECK(one.step == std::vector<std::int64_t>{4});
    CHECK(one.from == std::vector<std::int64_t>{1});
    CHECK(one.count == std::vector<std::int64_t>{4});
    CHECK(one.loss == std::vector<double>{2.5});
    CHECK(one.lossMinimum == std::vector<double>{1});
    CHECK(one.lossMaximum == std::vector<double>{4});
    CHECK(one.samples == std::vector<std::int64_t>{32});
    CHECK(one.correct == std::vector<double>{10});  // 1 + 2 + 3 + 4
    CHECK(one.accuracyMinimum == std::vector<double>{0.125});
    CHECK(one.accuracyMaximum == std::vector<double>{0.5});
    CHECK(one.gradientNorm == std::vector<double>{5});
    CHECK(one.normMinimum == std::vector<double>{2});
    CHECK(one.normMaximum == std::vector<double>{8});
    CHECK(one.endUs == std::vector<std::int64_t>{400});
    CHECK(one.dataUs == std::vector<std::int64_t>{12});
    windows.finish();
    REQUIRE(windows.take().at(0).step == std::vector<std::int64_t>{5});
}

TEST_CASE("windows of windows are the windows of all steps") {
    StepWindows narrow(0);
    StepWindows wide(0);
    StepWindows twice(0);
    narrow.add(stepsFrom(1, 16), 0, pairs());
    wide.add(stepsFrom(1, 16), 0, fours());
    for (const StepsFrame& frame : narrow.take()) twice.add(frame, 0, fours());
    CHECK(encode(twice.take().at(0)) == encode(wide.take().at(0)));
}

TEST_CASE("a thinned line is read as it was written by both parsers") {
    StepWindows windows(3);
    windows.add(stepsFrom(1, 16, 3), 0, fours());
    const std::string line = encode(windows.take().at(0));
    const auto read = std::get<StepsFrame>(decodeLine(line).value());
    CHECK(read.from == std::vector<std::int64_t>{1, 5, 9, 13});
    CHECK(encode(read) == line);
    // Differs from the output of encode(), so the general parser reads it.
    const std::string spaced = "{ " + line.substr(1);
    CHECK(encode(decodeLine(spaced).value()) == line);
}

TEST_CASE("a NaN loss appears in the mean and does not hide extremes") {
    StepsFrame frame = stepsFrom(1, 4);
    frame.loss[1] = kNone;
    StepWindows windows(0);
    windows.add(frame, 0, fours());
    const StepsFrame one = windows.take().at(0);
    CHECK(std::isnan(one.loss[0]));
    CHECK(one.lossMinimum[0] == 1);
    CHECK(one.lossMaximum[0] == 4);
}

TEST_CASE("losses without sample counts count equally") {
    StepsFrame frame = stepsFrom(1, 16);
    frame.correct.clear();
    std::ranges::fill(frame.samples, 0);
    StepWindows narrow(0);
    StepWindows twice(0);
    narrow.add(frame, 0, pairs());
    for (const StepsFrame& one : narrow.take()) twice.add(one, 0, fours());
    const StepsFrame one = twice.take().at(0);
    CHECK(one.loss == std::vector<double>{2.5, 6.5, 10.5, 14.5});  // means of 1 to 4, 5 to 8, ...
    CHECK(one.lossMinimum == std::vector<double>{1, 5, 9, 13});
    CHECK(one.lossMaximum == std::vector<double>{4, 8, 12, 16});
}

TEST_CASE("a step that a rank had to drop leaves its window with fewer steps and the same end") {
    StepsFrame frame = stepsFrom(1, 3);
    const StepsFrame later = stepsFrom(6, 8);
    StepWindows windows(0);
    windows.add(frame, 0, fours());
    windows.add(later, 0, fours());
    const StepsFrame one = windows.take().at(0);
    CHECK(one.step == std::vector<std::int64_t>{4, 8});
    CHECK(one.from == std::vector<std::int64_t>{1, 5});
    CHECK(one.count == std::vector<std::int64_t>{3, 3});
}

TEST_CASE("a new learning rate starts a new line") {
    StepsFrame slower = stepsFrom(5, 8);
    slower.learningRate = 0.25;
    StepWindows windows(0);
    windows.add(stepsFrom(1, 4), 0, pairs());
    windows.add(slower, 0, pairs());
    const auto frames = windows.take();
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].learningRate == 0.5);
    CHECK(frames[1].learningRate == 0.25);
}

TEST_CASE("impossible ranges are refused") {
    StepWindows windows(0);
    windows.add(stepsFrom(1, 8), 0, fours());
    const StepsFrame good = windows.take().at(0);
    REQUIRE(decodeLine(encode(good)));
    const auto refused = [&](auto change) {
        StepsFrame bad = good;
        change(bad);
        return !decodeLine(encode(bad)).ok();
    };
    CHECK(refused([](StepsFrame& f) { f.from[1] = 4; }));   // begins within the previous window
    CHECK(refused([](StepsFrame& f) { f.from[1] = 9; }));   // begins after its end
    CHECK(refused([](StepsFrame& f) { f.count[0] = 5; }));  // contains more steps than the window spans
    CHECK(refused([](StepsFrame& f) { f.count[0] = 0; }));
    CHECK(refused([](StepsFrame& f) { f.lossMinimum.pop_back(); }));
    CHECK(refused([](StepsFrame& f) { f.normMaximum.clear(); }));
}

TEST_CASE("a viewer sees the same means and ranges of thinned ranks as of all their steps") {
    RunStarted start;
    start.worldSize = 2;
    start.stepsPerEpoch = 8;
    RunData data;
    data.apply(start);
    std::vector<GlobalStep> seen;
    data.onGlobalStep = [&](const GlobalStep& step) { seen.push_back(step); };
    for (int rank = 0; rank < 2; ++rank) {
        StepsFrame frame = stepsFrom(1, 8, rank);
        if (rank == 1) {
            for (double& loss : frame.loss) loss += 10;
        }
        StepWindows windows(rank);
        windows.add(frame, 0, fours());
        for (const StepsFrame& one : windows.take()) data.apply(one);
    }
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].step == 4);
    CHECK(seen[0].firstStep == 1);
    CHECK(seen[0].steps == 4);
    CHECK(seen[0].loss == 7.5);  // (2.5 + 12.5) / 2
    CHECK(seen[0].lossMinimum == 1);
    CHECK(seen[0].lossMaximum == 14);
    CHECK(seen[0].normMinimum == 2);
    CHECK(seen[0].normMaximum == 8);
    CHECK(seen[1].samplesSoFar == 128);
    REQUIRE(data.curves().loss().points().size() == 2);
    CHECK(data.curves().loss().points()[0].count == 4);
    CHECK(data.curves().loss().points()[0].maximum == 14.0F);
    CHECK(data.ranks()[1].lossSeries.points()[1].minimum == 15.0F);
    CHECK(data.ranks()[0].batchSamples == 8);
}
