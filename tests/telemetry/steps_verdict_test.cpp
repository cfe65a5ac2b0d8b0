// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/steps_verdict.h"

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// Steps of 20 ms on each rank: 6 of forward, 10 of backward, 2 of optimizer, 1 of moving, nothing lost.
std::vector<StepBrief> steps(int ranks, int count) {
    std::vector<StepBrief> all(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        StepBrief& step = all[static_cast<std::size_t>(i)];
        step.step = i + 1;
        step.lengthNs = 20 * kMs;
        step.bytes = 1 << 20;
        step.collectives = 1;
        step.ranks.resize(static_cast<std::size_t>(ranks));
        for (RankBrief& rank : step.ranks) {
            timeOf(rank.times, Phase::kForward) = 6 * kMs;
            timeOf(rank.times, Phase::kBackward) = 10 * kMs;
            timeOf(rank.times, Phase::kOptimizer) = 2 * kMs;
            timeOf(rank.times, Phase::kMoving) = 1 * kMs;
        }
    }
    return all;
}

// Delays a rank by making its phase longer, so that it arrives last.
void delay(StepBrief& step, std::size_t rank, Phase phase, std::int64_t ns) {
    step.ranks[rank].lostNs += ns;
    timeOf(step.ranks[rank].times, phase) += ns;
    step.lengthNs += ns;
    for (std::size_t other = 0; other < step.ranks.size(); ++other)
        if (other != rank) timeOf(step.ranks[other].times, Phase::kWaiting) += ns;
}

}  // namespace

TEST_CASE("a steady straggler is named with the phase in which it is late, for every phase") {
    for (const Phase phase : {Phase::kDataWait, Phase::kForward, Phase::kBackward, Phase::kOptimizer, Phase::kCopy}) {
        auto all = steps(4, 20);
        for (StepBrief& step : all) delay(step, 3, phase, 10 * kMs);
        const StepsVerdict verdict = judgeSteps(all);
        CHECK(verdict.finding == StepsFinding::kStraggler);
        CHECK(verdict.rank == 3);
        CHECK(verdict.phase == phase);
        CHECK(verdict.lostMs == 10);
        CHECK(verdict.stepMs == 30);
        CHECK_FALSE(verdict.advice.empty());
    }
}

TEST_CASE("balanced steps and a single slow step name no rank") {
    auto all = steps(4, 20);
    CHECK(judgeSteps(all).finding == StepsFinding::kBalanced);
    delay(all[7], 1, Phase::kBackward, 400 * kMs);
    const StepsVerdict verdict = judgeSteps(all);
    CHECK_FALSE(verdict.namesRank());
}

TEST_CASE("if another rank is late in each step, no rank is named") {
    auto all = steps(4, 40);
    for (std::size_t i = 0; i < all.size(); ++i) delay(all[i], i % 4, Phase::kForward, 10 * kMs);
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kRotating);
    CHECK_FALSE(verdict.namesRank());
    CHECK(verdict.lostMs == 10);
}

TEST_CASE("a rank that waits for a CPU is distinguished from a rank with more work") {
    auto all = steps(4, 20);
    for (StepBrief& step : all) {
        delay(step, 1, Phase::kBackward, 10 * kMs);
        step.ranks[1].queuedNs = 10 * kMs;
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kCpuTaken);
    CHECK(verdict.rank == 1);
    CHECK(verdict.text.find("for 10.0 ms of it other programs use its CPU") != std::string::npos);
}

TEST_CASE("if all ranks wait for CPUs, no rank is named for arriving last") {
    auto all = steps(8, 20);
    for (StepBrief& step : all) {
        delay(step, 7, Phase::kForward, 6 * kMs);
        for (std::size_t rank = 0; rank < 8; ++rank) step.ranks[rank].queuedNs = (rank == 7 ? 18 : 12) * kMs;
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kCrowded);
    CHECK_FALSE(verdict.namesRank());
}

TEST_CASE("if ranks wait for CPUs, small collectives are not named as the cause") {
    // 64 ranks on 2 CPUs: a rank that waits for a CPU moves no bytes either.
    auto all = steps(64, 20);
    for (StepBrief& step : all) {
        step.lengthNs = 60 * kMs;
        step.bytes = 4096;
        for (RankBrief& rank : step.ranks) {
            timeOf(rank.times, Phase::kMoving) = 20 * kMs;
            rank.queuedNs = 24 * kMs;
        }
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kCrowded);
    CHECK(verdict.text.starts_with("The ranks wait for a CPU in 40 % of each step (median)"));
}

TEST_CASE("if a different rank waits for a CPU in each step, CPUs are too few") {
    // 64 ranks on 2 CPUs: all wait for one of them, which waits for a CPU.
    auto all = steps(64, 20);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (RankBrief& rank : all[i].ranks) rank.queuedNs = 2 * kMs;
        delay(all[i], i, Phase::kForward, 20 * kMs);  // then a step lasts 40 ms
        all[i].ranks[i].queuedNs = 24 * kMs;
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kCrowded);
    CHECK(verdict.text ==
          "In each step the other ranks wait for a rank that has no CPU, for 24.0 ms of 40.0 ms per step (median): "
          "there are "
          "more ranks "
          "than CPUs, or other programs use them.");
}

TEST_CASE("waiting for data on all ranks names no rank") {
    auto all = steps(4, 20);
    for (StepBrief& step : all) {
        step.lengthNs = 60 * kMs;
        for (RankBrief& rank : step.ranks) timeOf(rank.times, Phase::kDataWait) = 40 * kMs;
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kData);
    CHECK(verdict.text == "All ranks wait for data in 67 % of each step (median).");
}

TEST_CASE("communication is bound by its bytes or by its round trips") {
    auto all = steps(2, 20);
    for (StepBrief& step : all) {
        step.lengthNs = 40 * kMs;
        step.bytes = 100'000'000;
        for (RankBrief& rank : step.ranks) timeOf(rank.times, Phase::kMoving) = 20 * kMs;
    }
    CHECK(judgeSteps(all).finding == StepsFinding::kBytes);
    CHECK(judgeSteps(all).text == "Moving 95.4 MiB per step takes 50 % of each step of all ranks (median).");
    for (StepBrief& step : all) {
        step.bytes = 200 * 1024;
        step.collectives = 50;
    }
    CHECK(judgeSteps(all).finding == StepsFinding::kRoundTrips);
    CHECK(judgeSteps(all).text.starts_with("50 small collectives per step take 50 %"));
    CHECK(judgeSteps(all).advice.starts_with("Use fewer and larger buckets"));
    all.back().isSharded = true;  // where there are no buckets
    CHECK(judgeSteps(all).advice.starts_with("Use larger layers, or train on more samples per step"));
    for (StepBrief& step : all) {
        step.bytes = 4096;
        step.collectives = 1;
    }
    CHECK(judgeSteps(all).text.starts_with("One small collective per step takes 50 %"));
    CHECK(judgeSteps(all).advice.starts_with("Train on more samples per step"));
}

TEST_CASE("steps with too little work, and too few steps, are reported") {
    auto all = steps(2, 20);
    for (StepBrief& step : all) {
        step.lengthNs = kMs;
        for (RankBrief& rank : step.ranks) {
            rank.times = {};
            timeOf(rank.times, Phase::kForward) = kMs / 5;
        }
    }
    CHECK(judgeSteps(all).finding == StepsFinding::kLittleWork);
    CHECK(judgeSteps(std::span(all).first(7)).finding == StepsFinding::kTooFewSteps);
    CHECK(judgeSteps({}).finding == StepsFinding::kTooFewSteps);
}

TEST_CASE("no rank is named for a delay within a scheduler time slice") {
    auto all = steps(4, 20);
    for (StepBrief& step : all) {
        step.lengthNs = kMs / 10;
        for (RankBrief& rank : step.ranks) rank.times = {};
        delay(step, 2, Phase::kForward, kMs / 20);
    }
    CHECK_FALSE(judgeSteps(all).namesRank());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].step = static_cast<std::int64_t>(1000 * i);  // every 1,000th
    CHECK(judgeSteps(all).rank == 2);
}

TEST_CASE("without arrival times there is no statement about balance") {
    auto all = steps(4, 20);
    for (StepBrief& step : all) step.collectives = 0;
    CHECK(judgeSteps(all).finding == StepsFinding::kNotKnown);
}

TEST_CASE("of two ranks, one that is always last is named, one that is last by chance is not") {
    auto all = steps(2, 20);
    for (std::size_t i = 0; i < all.size(); ++i) delay(all[i], i % 3 == 0 ? 0 : 1, Phase::kForward, 5 * kMs);
    CHECK_FALSE(judgeSteps(all).namesRank());
    for (StepBrief& step : all) delay(step, 1, Phase::kForward, 20 * kMs);
    CHECK(judgeSteps(all).rank == 1);
}
