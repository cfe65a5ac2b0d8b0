// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/steps_verdict.h"

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// Returns steps of 20 ms on each rank: 6 ms forward, 10 ms backward, 2 ms optimizer, 1 ms transfer. No time is lost.
std::vector<StepMeasurements> steps(int ranks, int count) {
    std::vector<StepMeasurements> all(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        StepMeasurements& step = all[static_cast<std::size_t>(i)];
        step.step = i + 1;
        step.lengthNs = 20 * kMs;
        step.bytes = 1 << 20;
        step.collectives = 1;
        step.ranks.resize(static_cast<std::size_t>(ranks));
        for (RankMeasurements& rank : step.ranks) {
            timeOf(rank.times, Phase::kForward) = 6 * kMs;
            timeOf(rank.times, Phase::kBackward) = 10 * kMs;
            timeOf(rank.times, Phase::kOptimizer) = 2 * kMs;
            timeOf(rank.times, Phase::kMoving) = 1 * kMs;
        }
    }
    return all;
}

// Delays a rank by making its phase longer, so that it arrives last.
void delay(StepMeasurements& step, std::size_t rank, Phase phase, std::int64_t ns) {
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
        for (StepMeasurements& step : all) delay(step, 3, phase, 10 * kMs);
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
    for (StepMeasurements& step : all) {
        delay(step, 1, Phase::kBackward, 10 * kMs);
        step.ranks[1].queuedNs = 10 * kMs;
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kCpuTaken);
    CHECK(verdict.rank == 1);
    CHECK(verdict.text.find("other programs use its CPU for 10.0 ms of this time") != std::string::npos);
}

TEST_CASE("if all ranks wait for CPUs, no rank is named for arriving last") {
    auto all = steps(8, 20);
    for (StepMeasurements& step : all) {
        delay(step, 7, Phase::kForward, 6 * kMs);
        for (std::size_t rank = 0; rank < 8; ++rank) step.ranks[rank].queuedNs = (rank == 7 ? 18 : 12) * kMs;
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kCrowded);
    CHECK_FALSE(verdict.namesRank());
}

TEST_CASE("if ranks wait for CPUs, small collectives are not named as the cause") {
    // 64 ranks on 2 CPUs. A rank that waits for a CPU does not transfer bytes either.
    auto all = steps(64, 20);
    for (StepMeasurements& step : all) {
        step.lengthNs = 60 * kMs;
        step.bytes = 4096;
        for (RankMeasurements& rank : step.ranks) {
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
        for (RankMeasurements& rank : all[i].ranks) rank.queuedNs = 2 * kMs;
        delay(all[i], i, Phase::kForward, 20 * kMs);  // the steps then take 40 ms
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
    for (StepMeasurements& step : all) {
        step.lengthNs = 60 * kMs;
        for (RankMeasurements& rank : step.ranks) timeOf(rank.times, Phase::kDataWait) = 40 * kMs;
    }
    const StepsVerdict verdict = judgeSteps(all);
    CHECK(verdict.finding == StepsFinding::kData);
    CHECK(verdict.text == "All ranks wait for data in 67 % of each step (median).");
}

TEST_CASE("communication is bound by its bytes or by its round trips") {
    auto all = steps(2, 20);
    for (StepMeasurements& step : all) {
        step.lengthNs = 40 * kMs;
        step.bytes = 100'000'000;
        for (RankMeasurements& rank : step.ranks) timeOf(rank.times, Phase::kMoving) = 20 * kMs;
    }
    CHECK(judgeSteps(all).finding == StepsFinding::kBytes);
    CHECK(judgeSteps(all).text == "Transferring 95.4 MiB between ranks takes 50 % of each step of all ranks (median).");
    for (StepMeasurements& step : all) {
        step.bytes = 200 * 1024;
        step.collectives = 50;
    }
    CHECK(judgeSteps(all).finding == StepsFinding::kRoundTrips);
    CHECK(judgeSteps(all).text.starts_with("50 small collectives per step take 50 %"));
    CHECK(judgeSteps(all).advice.starts_with("Use fewer and larger buckets"));
    all.back().isSharded = true;  // a sharded model has no buckets
    CHECK(judgeSteps(all).advice.starts_with("Use larger layers, or train on more samples per step"));
    for (StepMeasurements& step : all) {
        step.bytes = 4096;
        step.collectives = 1;
    }
    CHECK(judgeSteps(all).text.starts_with("One small collective per step takes 50 %"));
    CHECK(judgeSteps(all).advice.starts_with("Train on more samples per step"));
}

TEST_CASE("steps with too little work, and too few steps, are reported") {
    auto all = steps(2, 20);
    for (StepMeasurements& step : all) {
        step.lengthNs = kMs;
        for (RankMeasurements& rank : step.ranks) {
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
    for (StepMeasurements& step : all) {
        step.lengthNs = kMs / 10;
        for (RankMeasurements& rank : step.ranks) rank.times = {};
        delay(step, 2, Phase::kForward, kMs / 20);
    }
    CHECK_FALSE(judgeSteps(all).namesRank());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].step = static_cast<std::int64_t>(1000 * i);  // every 1,000th
    CHECK(judgeSteps(all).rank == 2);
}

TEST_CASE("without arrival times there is no statement about balance") {
    auto all = steps(4, 20);
    for (StepMeasurements& step : all) step.collectives = 0;
    CHECK(judgeSteps(all).finding == StepsFinding::kNotKnown);
}

TEST_CASE("of two ranks, one that is always last is named, one that is last by chance is not") {
    auto all = steps(2, 20);
    for (std::size_t i = 0; i < all.size(); ++i) delay(all[i], i % 3 == 0 ? 0 : 1, Phase::kForward, 5 * kMs);
    CHECK_FALSE(judgeSteps(all).namesRank());
    for (StepMeasurements& step : all) delay(step, 1, Phase::kForward, 20 * kMs);
    CHECK(judgeSteps(all).rank == 1);
}

TEST_CASE("a straggler is named from a minimum share of its step, share of all steps and total time on") {
    const auto delayed = [](int count, std::int64_t us, std::size_t late, int ranks = 4) {
        auto all = steps(ranks, count);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i < late) delay(all[i], 1, Phase::kForward, us * kMs / 1000);
        return judgeSteps(all);
    };
    // 20 ms and the delay: 5 % of a step are 1.053 ms.
    CHECK(delayed(20, 1060, 20).namesRank());
    CHECK_FALSE(delayed(20, 1040, 20).namesRank());
    // 60 % of the steps; of two ranks 75 %, because one of two is last in half of the steps by chance.
    CHECK(delayed(20, 10'000, 12).namesRank());
    CHECK_FALSE(delayed(20, 10'000, 11).namesRank());
    CHECK(delayed(20, 10'000, 15, 2).namesRank());
    CHECK_FALSE(delayed(20, 10'000, 14, 2).namesRank());
    // A quarter of a second: 8 steps of 31.25 ms.
    CHECK(delayed(8, 11'250, 8).namesRank());
    CHECK_FALSE(delayed(8, 11'240, 8).namesRank());
    CHECK(delayed(8, 11'240, 8).finding == StepsFinding::kTooFewSteps);
    CHECK(delayed(7, 100'000, 7).finding == StepsFinding::kTooFewSteps);
    CHECK(delayed(20, 10'000, 12).share == 0.6);
    CHECK(delayed(20, 10'000, 12).steps == 20);
}

TEST_CASE("the work or the CPU of a late rank explains at least 40 % of what it costs") {
    const auto judged = [](std::int64_t workUs, std::int64_t queuedUs, int count = 20) {
        auto all = steps(4, count);
        for (StepMeasurements& step : all) {
            step.ranks[2].lostNs = 10 * kMs;
            timeOf(step.ranks[2].times, Phase::kBackward) += workUs * 1000;
            step.ranks[2].queuedNs = queuedUs * 1000;
            step.lengthNs = 25 * kMs;
        }
        return judgeSteps(all);
    };
    CHECK(judged(4'000, 0).finding == StepsFinding::kStraggler);
    CHECK_FALSE(judged(3'990, 0).namesRank());
    // The time without a CPU is a part of the measured work, but not caused by the rank.
    CHECK(judged(5'000, 1'000).finding == StepsFinding::kStraggler);
    CHECK_FALSE(judged(5'000, 1'010).namesRank());
    CHECK(judged(4'000, 4'000).finding == StepsFinding::kCpuTaken);
    CHECK_FALSE(judged(3'990, 3'990).namesRank());
    // Half a second: 20 steps of 25 ms.
    CHECK_FALSE(judged(4'000, 4'000, 19).namesRank());
    CHECK(judged(4'000, 0, 19).namesRank());
    CHECK(judged(3'990, 0).rank == -1);
    CHECK(judged(3'990, 0).lostMs == 0);
}

TEST_CASE("the sentence on a straggler compares its phase with the phase of the other ranks") {
    const auto textOf = [](Phase phase, std::int64_t ns, bool isPipeline = false) {
        auto all = steps(4, 20);
        for (StepMeasurements& step : all) {
            delay(step, 3, phase, ns);
            step.isPipeline = isPipeline;
        }
        return judgeSteps(all).text;
    };
    const std::string late =
        "Rank 3 arrives last in 100 % of steps and costs 10.0 ms of 30.0 ms per step (median); its ";
    CHECK(textOf(Phase::kBackward, 10 * kMs) == late + "backward takes 2.0 times the median of the other ranks.");
    CHECK(textOf(Phase::kForward, 10 * kMs) == late + "forward takes 2.7 times the median of the other ranks.");
    CHECK(textOf(Phase::kDataWait, 10 * kMs) ==
          late + "wait for data takes 10.0 ms instead of 0.000 ms (median of the other ranks).");
    CHECK(textOf(Phase::kCopy, 10 * kMs) ==
          late + "copy of the batch to the device takes 10.0 ms instead of 0.000 ms (median of the other ranks).");
    CHECK(textOf(Phase::kIdle, 10 * kMs) ==
          late + "time between the phases takes 10.0 ms instead of 0.000 ms (median of the other ranks).");
    CHECK(textOf(Phase::kCheckpoint, 10 * kMs) ==
          late + "checkpoint takes 10.0 ms instead of 0.000 ms (median of the other ranks).");
    // Twenty times the others' 2 ms are 40 ms; longer times are not a factor.
    CHECK(
        textOf(Phase::kOptimizer, 38 * kMs).ends_with("its optimizer takes 20.0 times the median of the other ranks."));
    CHECK(textOf(Phase::kOptimizer, 39 * kMs)
              .ends_with("its optimizer takes 41.0 ms instead of 2.0 ms (median of the other ranks)."));
    CHECK(textOf(Phase::kBackward, 100 * kMs).find("costs 100 ms of 120 ms per step") != std::string::npos);
    CHECK(textOf(Phase::kBackward, 10 * kMs, true) ==
          "Rank 3 keeps the other ranks waiting in 100 % of steps and costs 10.0 ms of 30.0 ms per step (median); its "
          "backward takes 2.0 times its planned time.");
    CHECK(textOf(Phase::kCopy, 10 * kMs, true)
              .ends_with("copy of the batch to the device takes 10.0 ms instead of 0.000 ms (planned time)."));
}

TEST_CASE("a straggler that exceeds the other ranks by the same time in two phases is named with the first") {
    auto all = steps(4, 20);
    for (StepMeasurements& step : all) {
        delay(step, 3, Phase::kOptimizer, 5 * kMs);
        delay(step, 3, Phase::kForward, 5 * kMs);
    }
    CHECK(judgeSteps(all).phase == Phase::kForward);
}

TEST_CASE("the advice on a straggler depends on its phase") {
    const auto adviceOn = [](Phase phase) {
        auto all = steps(4, 20);
        for (StepMeasurements& step : all) delay(step, 3, phase, 10 * kMs);
        return judgeSteps(all).advice;
    };
    CHECK_THAT(adviceOn(Phase::kDataWait), containing("Check the storage"));
    CHECK_THAT(adviceOn(Phase::kOptimizer), containing("after the backward pass"));
    CHECK_THAT(adviceOn(Phase::kForward), containing("Check the device of this rank"));
    CHECK_THAT(adviceOn(Phase::kBackward), containing("Check the device of this rank"));
    CHECK_THAT(adviceOn(Phase::kIdle), containing("only this rank does between steps"));
}

TEST_CASE("a cause that concerns all ranks is reported from a minimum share of the step on") {
    const auto judged = [](Phase phase, std::int64_t us, std::int64_t bytes = 65'536) {
        auto all = steps(4, 20);
        for (StepMeasurements& step : all) {
            step.lengthNs = 60 * kMs;
            step.bytes = bytes;
            for (RankMeasurements& rank : step.ranks) timeOf(rank.times, phase) = us * 1000;
        }
        return judgeSteps(all);
    };
    CHECK(judged(Phase::kDataWait, 18'000).finding == StepsFinding::kData);  // 30 %
    CHECK(judged(Phase::kDataWait, 17'990).finding == StepsFinding::kBalanced);
    CHECK(judged(Phase::kMoving, 18'000).finding == StepsFinding::kBytes);
    CHECK(judged(Phase::kMoving, 17'990).finding == StepsFinding::kBalanced);
    CHECK(judged(Phase::kMoving, 18'000, 65'535).finding == StepsFinding::kRoundTrips);
    CHECK_THAT(judged(Phase::kMoving, 18'000, 1 << 19).text,
               containing("Transferring 0.5 MiB between ranks takes 30 %"));
}

TEST_CASE("ranks lack CPUs if the typical rank queues for a fifth of a step, or the last one for two fifths") {
    const auto judged = [](std::int64_t allUs, std::int64_t oneUs) {
        auto all = steps(4, 20);
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (RankMeasurements& rank : all[i].ranks) rank.queuedNs = allUs * 1000;
            all[i].ranks[i % 4].queuedNs = oneUs * 1000;
        }
        return judgeSteps(all);
    };
    CHECK(judged(4'000, 4'000).finding == StepsFinding::kCrowded);
    CHECK(judged(3'990, 3'990).finding == StepsFinding::kBalanced);
    CHECK(judged(0, 8'000).finding == StepsFinding::kCrowded);
    CHECK(judged(0, 7'990).finding == StepsFinding::kBalanced);
    // The time without a CPU is at most as long as the step.
    CHECK_THAT(judged(0, 90'000).text, containing("for 20.0 ms of 20.0 ms per step (median)"));
}

TEST_CASE("time lost to changing ranks counts from a tenth of a step on") {
    const auto judged = [](std::int64_t us) {
        auto all = steps(4, 40);
        for (std::size_t i = 0; i < all.size(); ++i) delay(all[i], i % 4, Phase::kForward, us * 1000);
        return judgeSteps(all);
    };
    CHECK(judged(2'230).finding == StepsFinding::kRotating);  // 22.23 ms
    CHECK(judged(2'210).finding == StepsFinding::kBalanced);
    CHECK(judged(2'230).text ==
          "A different rank arrives last each time; waiting for it costs 2.2 ms of 22.2 ms per step (median).");
}

TEST_CASE("steps below two milliseconds that compute less than half of the time have little work") {
    const auto judged = [](std::int64_t lengthUs, std::int64_t forwardUs) {
        auto all = steps(2, 20);
        for (StepMeasurements& step : all) {
            step.lengthNs = lengthUs * 1000;
            for (RankMeasurements& rank : step.ranks) {
                rank.times = {};
                timeOf(rank.times, Phase::kForward) = forwardUs * 1000;
                timeOf(rank.times, Phase::kBackward) = 100'000;
                timeOf(rank.times, Phase::kOptimizer) = 100'000;
            }
        }
        return judgeSteps(all);
    };
    CHECK(judged(1'000, 250).finding == StepsFinding::kLittleWork);
    CHECK(judged(1'000, 250).text == "Computation takes only 0.5 ms of 1.0 ms per step (median).");
    CHECK(judged(1'000, 300).finding == StepsFinding::kBalanced);
    CHECK(judged(1'999, 250).finding == StepsFinding::kLittleWork);
    CHECK(judged(2'000, 250).finding == StepsFinding::kBalanced);
}

TEST_CASE("balanced steps are described for one rank, for a pipeline and otherwise") {
    CHECK(judgeSteps(steps(1, 8)).text == "A run with one rank has no rank to wait for.");
    CHECK(judgeSteps(steps(4, 8)).text == "No rank keeps the other ranks waiting.");
    auto all = steps(4, 8);
    for (StepMeasurements& step : all) step.isPipeline = true;
    CHECK(judgeSteps(all).text ==
          "No rank keeps the other ranks waiting longer than the schedule of the pipeline does.");
    // A single rank has no collectives whose arrivals could be missing.
    auto alone = steps(1, 8);
    for (StepMeasurements& step : alone) step.collectives = 0;
    CHECK(judgeSteps(alone).finding == StepsFinding::kBalanced);
    CHECK(judgeSteps(steps(4, 8)).stepMs == 20);
}

TEST_CASE("planned times scale up the work of other ranks only") {
    const PlannedShares half{.compute = 0.5, .update = 0.25};
    const PlannedShares whole;
    CHECK(plannedWorkRatio(whole, half, Phase::kForward) == 2);
    CHECK(plannedWorkRatio(whole, half, Phase::kBackward) == 2);
    CHECK(plannedWorkRatio(whole, half, Phase::kOptimizer) == 4);
    CHECK(plannedWorkRatio(whole, half, Phase::kDataWait) == 1);
    CHECK(plannedWorkRatio(half, whole, Phase::kForward) == 1);
    CHECK(plannedWorkRatio(whole, {.compute = 0, .update = 0}, Phase::kForward) == 1);
}

TEST_CASE("a waiting span is split at each transfer, and transfers that overlap count once") {
    StepTrace trace;
    const auto number = [](Phase phase) { return static_cast<std::int64_t>(phase); };
    trace.phase = {number(Phase::kForward), number(Phase::kWaiting), number(Phase::kIdle), number(Phase::kWaiting)};
    trace.at = {0, 100, 200, 300};
    trace.cpu = {0, 100, 150, 160};
    trace.layer = {4, 5, -1, 6};
    trace.lengthNs = 400;
    trace.cpuNs = 180;
    // Moving: 90 to 120 (in part before the span), 140 to 170 in two transfers, 170 to 170 (none), unknown, 350 to 500.
    trace.last = {140, 90, 150, 170, -1, 350};
    trace.ended = {160, 120, 170, 170, 190, 500};
    for (std::vector<std::int64_t>* column :
         {&trace.group, &trace.collective, &trace.kind, &trace.bytes, &trace.ready, &trace.arrived})
        column->assign(6, 0);
    separateWaitingFromMoving(trace);
    CHECK(trace.phase == std::vector<std::int64_t>{number(Phase::kForward), number(Phase::kMoving),
                                                   number(Phase::kWaiting), number(Phase::kMoving),
                                                   number(Phase::kWaiting), number(Phase::kIdle),
                                                   number(Phase::kWaiting), number(Phase::kMoving)});
    CHECK(trace.at == std::vector<std::int64_t>{0, 100, 120, 140, 170, 200, 300, 350});
    // The CPU time of the span from 100 to 200 is 50, of the last one 20: each piece begins at its part of them.
    CHECK(trace.cpu == std::vector<std::int64_t>{0, 100, 110, 120, 135, 150, 160, 170});
    CHECK(trace.layer == std::vector<std::int64_t>{4, 5, 5, 5, 5, -1, 6, 6});
    const PhaseTimes times = phaseTimes(trace);
    CHECK((timeOf(times, Phase::kMoving) == 100 && timeOf(times, Phase::kWaiting) == 100));
    CHECK((timeOf(times, Phase::kForward) == 100 && timeOf(times, Phase::kIdle) == 100));
}

TEST_CASE("the length of a step is the median of an odd and of an even number of steps") {
    auto all = steps(4, 10);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].lengthNs = static_cast<std::int64_t>(20 + i * i) * kMs;
    CHECK(judgeSteps(std::span(all).first(9)).stepMs == 36);  // 20 + 4 * 4
    CHECK(judgeSteps(all).stepMs == 40.5);                    // between 36 and 45
}
