// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/catch.h"
#include "telemetry/data/run_data.h"

using namespace ringside;

namespace {

StepsFrame frame(int rank, std::vector<std::int64_t> steps, double loss, double correct, std::int64_t samples) {
    StepsFrame one;
    one.rank = rank;
    one.step = std::move(steps);
    for (const std::int64_t step : one.step) {
        one.loss.push_back(loss);
        one.correct.push_back(correct);
        one.samples.push_back(samples);
        one.endUs.push_back(1000 * step + rank);
    }
    return one;
}

}  // namespace

TEST_CASE("a global step waits for every rank and weighs by samples") {
    StepMerger merger(2);
    std::vector<GlobalStep> seen;
    const auto sink = [&](const GlobalStep& step) { seen.push_back(step); };
    merger.add(frame(0, {1, 2}, 1.0, 6, 8), sink);
    CHECK(seen.empty());
    merger.add(frame(1, {1}, 4.0, 1, 4), sink);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].step == 1);
    CHECK(seen[0].loss == 2.0);  // (8 * 1 + 4 * 4) / 12
    CHECK(seen[0].accuracy == Approx(7.0 / 12.0));
    CHECK(seen[0].lossMinimum == 1.0);
    CHECK(seen[0].lossMaximum == 4.0);
    CHECK(seen[0].accuracyMinimum == 0.25);
    CHECK(seen[0].accuracyMaximum == 0.75);
    CHECK(seen[0].samples == 12);
    CHECK(seen[0].timeUs == 1001);
    CHECK(std::isnan(seen[0].gradientNorm));
    merger.add(frame(1, {2}, 4.0, 1, 4), sink);
    REQUIRE(seen.size() == 2);
    CHECK(seen[1].samplesSoFar == 24);
}

TEST_CASE("without sample counts all ranks with a loss count equally") {
    StepMerger merger(3);
    std::vector<GlobalStep> seen;
    const auto sink = [&](const GlobalStep& step) { seen.push_back(step); };
    merger.add(frame(0, {1}, 1.0, 0, 0), sink);
    merger.add(frame(1, {1}, 4.0, 0, 0), sink);
    // A rank with another stage of a pipeline, which has no loss.
    merger.add(frame(2, {1}, std::numeric_limits<double>::quiet_NaN(), 0, 0), sink);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].loss == 2.5);
    CHECK(seen[0].lossMaximum == 4.0);
    CHECK(seen[0].samples == 0);
    merger.add(frame(0, {2}, 1.0, 0, 0), sink);
    merger.add(frame(1, {2}, 4.0, 0, 8), sink);
    merger.add(frame(2, {2}, 2.0, 0, 8), sink);
    REQUIRE(seen.size() == 2);
    CHECK(seen[1].loss == 3.0);  // rank 0 has no samples in this step, other ranks have
}

TEST_CASE("steps that one rank dropped are skipped and counted once") {
    StepMerger merger(3);
    std::vector<std::int64_t> seen;
    const auto sink = [&](const GlobalStep& step) { seen.push_back(step.step); };
    merger.add(frame(0, {1, 2, 3, 4, 5}, 1, 1, 1), sink);
    merger.add(frame(1, {1, 3, 5}, 1, 1, 1), sink);
    merger.add(frame(2, {1, 2, 4, 5}, 1, 1, 1), sink);
    CHECK(seen == std::vector<std::int64_t>{1, 5});
    CHECK(merger.incompleteSteps() == 3);  // 2, 3 and 4
}

TEST_CASE("with log_every the unlogged steps count as full batches") {
    StepMerger merger(1);
    std::vector<std::int64_t> total;
    const auto sink = [&](const GlobalStep& step) { total.push_back(step.samplesSoFar); };
    merger.add(frame(0, {1}, 1, 1, 32), sink);
    merger.add(frame(0, {11}, 1, 1, 8), sink);
    CHECK(total == std::vector<std::int64_t>{32, 32 + 9 * 32 + 8});
}

TEST_CASE("a repeated or older step is ignored") {
    StepMerger merger(1);
    int seen = 0;
    const auto sink = [&](const GlobalStep&) { ++seen; };
    merger.add(frame(0, {5}, 1, 1, 1), sink);
    merger.add(frame(0, {4, 5}, 1, 1, 1), sink);
    merger.add(frame(7, {6}, 1, 1, 1), sink);
    CHECK(seen == 1);
}

TEST_CASE("regression has no accuracy") {
    StepMerger merger(1);
    StepsFrame one = frame(0, {1}, 2.0, 0, 4);
    one.correct.clear();
    GlobalStep seen;
    merger.add(one, [&](const GlobalStep& step) { seen = step; });
    CHECK(seen.loss == 2.0);
    CHECK(std::isnan(seen.accuracy));
    CHECK(std::isnan(seen.accuracyMinimum));
}

TEST_CASE("a step that is reported twice is neither merged nor counted twice") {
    StepMerger merger(2);
    std::vector<std::int64_t> seen;
    const auto sink = [&](const GlobalStep& step) { seen.push_back(step.step); };
    merger.add(frame(0, {1}, 1, 1, 2), sink);
    merger.add(frame(0, {1, 2}, 1, 1, 2), sink);
    merger.add(frame(1, {1}, 1, 1, 2), sink);
    merger.add(frame(1, {1, 2}, 1, 1, 2), sink);
    CHECK(seen == std::vector<std::int64_t>{1, 2});
    CHECK(merger.incompleteSteps() == 0);
    merger.add(frame(2, {3}, 1, 1, 2), sink);
    merger.add(frame(-1, {3}, 1, 1, 2), sink);
    CHECK(seen.size() == 2);
}

TEST_CASE("a run that resumes merges the steps after those of the first part") {
    StepMerger merger(1, 10);
    std::vector<GlobalStep> seen;
    const auto sink = [&](const GlobalStep& step) { seen.push_back(step); };
    merger.add(frame(0, {9, 10, 11, 13}, 1, 1, 4), sink);
    REQUIRE(seen.size() == 2);
    CHECK((seen[0].step == 11 && seen[0].samplesSoFar == 4));
    CHECK((seen[1].step == 13 && seen[1].samplesSoFar == 12));  // step 12 counts as a full batch
}

TEST_CASE("at most 131,072 steps wait for a slower rank") {
    StepMerger merger(2);
    std::vector<std::int64_t> seen;
    const auto sink = [&](const GlobalStep& step) { seen.push_back(step.step); };
    std::vector<std::int64_t> numbers(131'072);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i) + 1;
    merger.add(frame(0, numbers, 1, 1, 2), sink);
    CHECK(merger.incompleteSteps() == 0);
    merger.add(frame(0, {131'073}, 1, 1, 2), sink);
    CHECK(merger.incompleteSteps() == 1);
    merger.add(frame(1, {1, 2, 3}, 1, 1, 2), sink);
    CHECK(seen == std::vector<std::int64_t>{2, 3});
    CHECK(merger.incompleteSteps() == 2);
}

TEST_CASE("the time of a merged step is its last end, and the first rank's norm and rate are its own") {
    StepMerger merger(2);
    std::vector<GlobalStep> seen;
    StepsFrame one = frame(1, {1}, 2, 1, 4);
    one.epoch = 3;
    one.learningRate = 0.5;
    one.gradientNorm = {7};
    StepsFrame other = frame(0, {1}, 4, 3, 4);
    other.epoch = 3;
    other.learningRate = 0.25;
    other.gradientNorm = {5};
    other.endUs = {900};
    const auto sink = [&](const GlobalStep& step) { seen.push_back(step); };
    merger.add(one, sink);
    merger.add(other, sink);
    REQUIRE(seen.size() == 1);
    CHECK((seen[0].timeUs == 1001 && seen[0].epoch == 3 && seen[0].learningRate == 0.25));
    CHECK((seen[0].gradientNorm == 5 && seen[0].normMinimum == 5 && seen[0].normMaximum == 5));
    CHECK((seen[0].firstStep == 1 && seen[0].steps == 1 && seen[0].accuracy == 0.5));
}

TEST_CASE("a step without a correct prediction has an accuracy of zero") {
    StepMerger merger(1);
    double accuracy = -1;
    merger.add(frame(0, {1}, 1, 0, 4), [&accuracy](const GlobalStep& step) { accuracy = step.accuracy; });
    CHECK(accuracy == 0);
}
