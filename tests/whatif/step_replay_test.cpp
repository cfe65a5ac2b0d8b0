// SPDX-License-Identifier: Apache-2.0
#include "whatif/step_replay.h"

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kReplayMs = 1'000'000;

// Returns steps of 33 ms on two ranks: rank 0 computes for 10 ms, rank 1 for 30 ms; the transfer of a bucket takes 2 ms
// and the update 1 ms.
TraceData unevenSteps(int count, std::int64_t bytes) {
    TraceData data(2);
    for (std::int64_t step = 1; step <= count; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            const std::int64_t works = (rank == 0 ? 10 : 30) * kReplayMs;
            StepTrace trace;
            trace.rank = rank;
            trace.step = step;
            trace.beginNs = step * 33 * kReplayMs;
            trace.lengthNs = 33 * kReplayMs;
            for (const auto& [phase, at] : {std::pair(Phase::kBackward, std::int64_t{0}),
                                            {Phase::kWaiting, works},
                                            {Phase::kOptimizer, 32 * kReplayMs}}) {
                trace.phase.push_back(static_cast<std::int64_t>(phase));
                trace.at.push_back(at);
                trace.cpu.push_back(0);
            }
            trace.group = {0};
            trace.collective = {step};
            trace.kind = {0};
            trace.bytes = {bytes};
            trace.ready = trace.arrived = {works};
            trace.last = {30 * kReplayMs};
            trace.ended = {32 * kReplayMs};
            separateWaitingFromMoving(trace);
            data.apply(trace);
        }
    }
    return data;
}

// Returns steps with a backward pass of 20 ms. In its middle, a bucket becomes ready, whose transfer of 6 ms overlaps
// with the pass. Then follows the update of 2 ms.
TraceData overlappedSteps(int count) {
    TraceData data(2);
    for (std::int64_t step = 1; step <= count; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            StepTrace trace;
            trace.rank = rank;
            trace.step = step;
            trace.beginNs = step * 23 * kReplayMs;
            trace.lengthNs = 23 * kReplayMs;
            trace.phase = {static_cast<std::int64_t>(Phase::kBackward), static_cast<std::int64_t>(Phase::kWaiting),
                           static_cast<std::int64_t>(Phase::kOptimizer)};
            trace.at = {0, 20 * kReplayMs, 21 * kReplayMs};
            trace.cpu = {0, 0, 0};
            trace.group = {0, 0};
            trace.collective = {2 * step, 2 * step + 1};
            trace.kind = {0, 0};
            trace.bytes = {1 << 20, 1 << 20};
            trace.ready = trace.arrived = trace.last = {10 * kReplayMs, 20 * kReplayMs};
            trace.ended = {16 * kReplayMs, 21 * kReplayMs};
            separateWaitingFromMoving(trace);
            data.apply(trace);
        }
    }
    return data;
}

}  // namespace

TEST_CASE("more ranks cannot be predicted from steps of one rank") {
    TraceData data(1);
    for (std::int64_t step = 1; step <= 4; ++step) {
        StepTrace trace;
        trace.step = step;
        trace.beginNs = step * 10 * kReplayMs;
        trace.lengthNs = 10 * kReplayMs;
        trace.phase = {static_cast<std::int64_t>(Phase::kBackward)};
        trace.at = {0};
        trace.cpu = {0};
        data.apply(trace);
    }
    CHECK(replaySteps(data, {.worldSize = 4}).unanswered.starts_with("the run has one rank"));
    CHECK(replaySteps(data, {}).steps > 0);
}

TEST_CASE("simulated steps without changes take the recorded time") {
    for (const int count : {1, 10}) {
        const ReplayResult result = replaySteps(unevenSteps(count, 1 << 20), {});
        CHECK(result.measured == Approx(33));
        CHECK(result.replayed == Approx(33));
        CHECK(result.predicted == Approx(33));
        CHECK(result.low == Approx(33));
    }
    CHECK(replaySteps(overlappedSteps(10), {}).replayed == Approx(23));
    CHECK(replaySteps(TraceData(2), {}).steps == 0);
}

TEST_CASE("a step paused for inspection is not simulated") {
    TraceData data = unevenSteps(10, 1 << 20);
    for (int rank = 0; rank < 2; ++rank) {
        StepTrace held;
        held.rank = rank;
        held.step = 11;
        held.beginNs = 11 * 33 * kReplayMs;
        held.lengthNs = 40'033 * kReplayMs;
        held.phase = {static_cast<std::int64_t>(Phase::kForward), static_cast<std::int64_t>(Phase::kPaused),
                      static_cast<std::int64_t>(Phase::kBackward)};
        held.at = {0, 10 * kReplayMs, 40'010 * kReplayMs};
        held.cpu = {0, 0, 0};
        data.apply(held);
    }
    const ReplayResult result = replaySteps(data, {});
    CHECK(result.steps == replaySteps(unevenSteps(10, 1 << 20), {}).steps);
    CHECK(result.pausedSteps == 1);
    CHECK(replaySteps(unevenSteps(10, 1 << 20), {}).pausedSteps == 0);
    CHECK(result.measured == Approx(33));
}

// Steps of 33 ms, with 5 s between steps 10 and 11.
TEST_CASE("a pause between two steps does not count as time of a step") {
    const TraceData uneven = unevenSteps(20, 1 << 20);
    TraceData data(2);
    for (const auto& [number, step] : uneven.steps()) {
        for (int rank = 0; rank < 2; ++rank) {
            StepTrace trace;
            trace.rank = rank;
            trace.step = number;
            trace.beginNs = step.beginNs + (number > 10 ? 5000 * kReplayMs : 0);
            trace.lengthNs = 33 * kReplayMs;
            trace.phase = {static_cast<std::int64_t>(Phase::kBackward)};
            trace.at = {0};
            trace.cpu = {0};
            data.apply(trace);
        }
    }
    CHECK(replaySteps(data, {}).measured > 250);  // without the command, the pause cannot be distinguished from work
    data.apply(Controlled{.command = ControlKind::kPause, .step = 10, .after = Phase::kOptimizer});
    const ReplayResult result = replaySteps(data, {});
    CHECK(result.measured == Approx(33));
    CHECK(result.replayed == Approx(33));
    CHECK(result.steps == 18);
    CHECK(replaySteps(data.latest(15), {}).measured == Approx(33));
}

// Slow motion at 2 steps/s from step 3 to step 8: steps of 33 ms begin 500 ms after each other.
TEST_CASE("steps of slow motion are replayed without the delays between them") {
    TraceData data(1);
    std::int64_t begin = 0;
    for (std::int64_t step = 1; step <= 12; ++step) {
        StepTrace trace;
        trace.step = step;
        trace.beginNs = begin;
        trace.lengthNs = 33 * kReplayMs;
        trace.phase = {static_cast<std::int64_t>(Phase::kBackward)};
        trace.at = {0};
        trace.cpu = {0};
        data.apply(trace);
        begin += (step >= 3 && step < 8 ? 500 : 33) * kReplayMs;
    }
    data.apply(Controlled{.command = ControlKind::kRate, .value = 2, .step = 3});
    const auto checkAll = [](const TraceData& trace) {
        const ReplayResult result = replaySteps(trace, {});
        CHECK(result.steps == 11);  // steps 2 to 12
        CHECK(result.measured == Approx(33));
        CHECK(result.replayed == Approx(33));
    };
    checkAll(data);
    data.apply(Controlled{.command = ControlKind::kRate, .value = 0, .step = 7});
    checkAll(data);
    checkAll(data.latest(12));
    // A pause in slow motion lasts for a time that has nothing to do with the steps.
    data.apply(Controlled{.command = ControlKind::kPause, .step = 5, .after = Phase::kOptimizer});
    CHECK(replaySteps(data, {}).steps == 10);
}

// Rank 1 begins each step 4 ms after rank 0 and works for 20 ms, rank 0 for 10 ms. Slow motion delays both by 100 ms.
TEST_CASE("the delay of slow motion that is removed is the same for all ranks") {
    TraceData data(2);
    for (std::int64_t step = 1; step <= 6; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            StepTrace trace;
            trace.rank = rank;
            trace.step = step;
            trace.beginNs = (step * 124 + 4 * rank) * kReplayMs;
            trace.lengthNs = (rank == 0 ? 10 : 20) * kReplayMs;
            trace.phase = {static_cast<std::int64_t>(Phase::kBackward)};
            trace.at = {0};
            trace.cpu = {0};
            data.apply(trace);
        }
    }
    data.apply(Controlled{.command = ControlKind::kRate, .value = 8, .step = 1});
    const ReplayResult result = replaySteps(data, {});
    CHECK(result.steps == 5);
    CHECK(result.measured == Approx(20));  // 124 - 104, the gap of rank 1, which is the shorter one
    CHECK(result.replayed == Approx(20));
}

TEST_CASE("without the delay of the late rank a step takes the time of the other rank") {
    const ReplayResult result = replaySteps(unevenSteps(10, 1 << 20), {.withoutDelayOf = 1});
    CHECK(result.predicted == Approx(13));  // 10 + 2 + 1
    CHECK(replaySteps(unevenSteps(10, 1 << 20), {.withoutDelayOf = 0}).predicted == Approx(33));
}

TEST_CASE("bytes are faster with more bandwidth, small messages with less latency") {
    CHECK(replaySteps(unevenSteps(10, 1 << 20), {.bandwidth = 2}).predicted == Approx(32));
    CHECK(replaySteps(unevenSteps(10, 1 << 20), {.latency = 0.5}).predicted == Approx(33));
    CHECK(replaySteps(unevenSteps(10, 1024), {.bandwidth = 2}).predicted == Approx(33));
    CHECK(replaySteps(unevenSteps(10, 1024), {.latency = 0.5}).predicted == Approx(32));
}

TEST_CASE("without overlap the buckets are reduced one after the other after the backward pass") {
    CHECK(replaySteps(overlappedSteps(10), {.noOverlap = true}).predicted == Approx(29));  // 20 + 6 + 1 + 2
}

TEST_CASE("latency and bandwidth follow from collectives of two sizes") {
    // 1 MiB takes 6 ms and 1/4 MiB takes 3 ms: a fixed latency of 2 ms, and 4 ms per MiB. Both transfers follow the
    // backward pass of 20 ms.
    TraceData data(2);
    for (std::int64_t step = 1; step <= 10; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            StepTrace trace;
            trace.rank = rank;
            trace.step = step;
            trace.beginNs = step * 29 * kReplayMs;
            trace.lengthNs = 29 * kReplayMs;
            trace.phase = {static_cast<std::int64_t>(Phase::kBackward), static_cast<std::int64_t>(Phase::kWaiting)};
            trace.at = {0, 20 * kReplayMs};
            trace.cpu = {0, 0};
            trace.group = {0, 0};
            trace.collective = {2 * step, 2 * step + 1};
            trace.kind = {0, 0};
            trace.bytes = {1 << 20, 1 << 18};
            // The second collective is requested while the transfer of the first one is in progress, and follows it.
            trace.ready = trace.arrived = trace.last = {20 * kReplayMs, 20 * kReplayMs};
            trace.ended = {26 * kReplayMs, 29 * kReplayMs};
            separateWaitingFromMoving(trace);
            data.apply(trace);
        }
    }
    CHECK(replaySteps(data, {}).replayed == Approx(29));
    CHECK(replaySteps(data, {.latency = 3}).predicted == Approx(37));      // 20 + 10 + 7
    CHECK(replaySteps(data, {.bandwidth = 2}).predicted == Approx(26.5));  // 20 + (2 + 2) + (2 + 0.5)
}

TEST_CASE("a rank that starts a collective early and waits late delays the other ranks by its own work") {
    // Both ranks request the collective at 5 ms. Rank 1 waits for it only at 50 ms, and the transfer of 2 ms starts
    // then.
    TraceData data(2);
    for (std::int64_t step = 1; step <= 10; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            const std::int64_t works = (rank == 0 ? 10 : 50) * kReplayMs;
            StepTrace trace;
            trace.rank = rank;
            trace.step = step;
            trace.beginNs = step * 52 * kReplayMs;
            trace.lengthNs = 52 * kReplayMs;
            trace.phase = {static_cast<std::int64_t>(Phase::kBackward), static_cast<std::int64_t>(Phase::kWaiting)};
            trace.at = {0, works};
            trace.cpu = {0, 0};
            trace.group = {0};
            trace.collective = {step};
            trace.kind = {0};
            trace.bytes = {1 << 20};
            trace.ready = {5 * kReplayMs};
            trace.arrived = {works};
            trace.last = {50 * kReplayMs};
            trace.ended = {52 * kReplayMs};
            separateWaitingFromMoving(trace);
            data.apply(trace);
        }
    }
    CHECK(replaySteps(data, {}).replayed == Approx(52));
    CHECK(replaySteps(data, {.withoutDelayOf = 1}).predicted == Approx(12));
}

TEST_CASE("other buckets are reduced when their bytes are ready, at the recorded speed") {
    // 2 MiB in 7 ms, evenly ready from the beginning of the backward pass to its end at 20 ms; 2 ms of update.
    CHECK(replaySteps(overlappedSteps(10), {.bucketMiB = 2}).predicted == Approx(29));       // 20 + 7 + 2
    CHECK(replaySteps(overlappedSteps(10), {.bucketMiB = 1}).predicted == Approx(25.5));     // 20 + 3.5 + 2
    CHECK(replaySteps(overlappedSteps(10), {.bucketMiB = 0.5}).predicted == Approx(23.75));  // 20 + 1.75 + 2
}

TEST_CASE("more ranks with the same work transfer more bytes in more rounds") {
    // A ring of W ranks sends 2 (W - 1) / W of the bytes in 2 (W - 1) rounds. From 2 to 4 ranks, the bytes grow by 1.5
    // times and the rounds by 3 times.
    CHECK(replaySteps(unevenSteps(10, 1 << 20), {.worldSize = 4}).predicted == Approx(34));
    CHECK(replaySteps(unevenSteps(10, 1024), {.worldSize = 4}).predicted == Approx(37));
    CHECK(replaySteps(unevenSteps(10, 1 << 20), {.worldSize = 2}).predicted == Approx(33));
}

TEST_CASE("simulated steps are a trace like the recorded ones") {
    const TraceData same = replayedTrace(unevenSteps(6, 1 << 20), {}, 3);
    REQUIRE(same.steps().size() == 3);
    const TracedStep& step = *same.find(5);
    REQUIRE(step.complete());
    CHECK(step.endNs - step.beginNs == 33 * kReplayMs);
    CHECK(timeOf(step.ranks[0].times, Phase::kWaiting) == 20 * kReplayMs);
    CHECK(timeOf(step.ranks[0].times, Phase::kMoving) == 2 * kReplayMs);
    REQUIRE(step.arrivals.size() == 1);
    CHECK(step.arrivals[0].lastRank == 1);
    const TraceData faster = replayedTrace(unevenSteps(6, 1 << 20), {.withoutDelayOf = 1}, 3);
    CHECK(faster.find(5)->endNs - faster.find(5)->beginNs == 13 * kReplayMs);
    const TraceData wider = replayedTrace(unevenSteps(6, 1 << 20), {.worldSize = 5}, 3);
    CHECK(wider.worldSize() == 5);
    CHECK(wider.find(6)->complete());
}
