// SPDX-License-Identifier: Apache-2.0
#include "pipeline_steps.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"
#include "whatif/step_replay.h"

using namespace ringside;

// Without a delay, a step of the pipeline takes 10 ms: three forward passes of 1 ms, three backward passes of 2 ms, and
// the update of rank 0, whose backward pass is the last one.

TEST_CASE("a pipeline without a delay names no rank") {
    const StepsVerdict verdict = pipelineSteps(30, {}).verdict();
    CHECK(verdict.finding == StepsFinding::kBalanced);
    CHECK(verdict.stepMs == 10);
    CHECK(verdict.text == "No rank keeps the other ranks waiting longer than the schedule of the pipeline does.");
}

TEST_CASE("in a pipeline each delayed rank is named with its phase and with what it costs") {
    // A pass that takes 20 ms longer delays all later passes. Rank r waits r ms for its input, and its backward pass
    // ends 2 r ms before that of rank 0. So its batch may be r ms late, and its update 2 r ms, without cost.
    for (std::size_t rank = 0; rank < kStages; ++rank) {
        const auto hidden = static_cast<std::int64_t>(rank);
        for (const auto& [phase, costMs] : {std::pair(Phase::kDataWait, 20 - hidden),
                                            {Phase::kForward, std::int64_t{20}},
                                            {Phase::kBackward, std::int64_t{20}},
                                            {Phase::kOptimizer, 20 - 2 * hidden}}) {
            StageWork work;
            auto& late = phase == Phase::kDataWait   ? work.data
                         : phase == Phase::kForward  ? work.forward
                         : phase == Phase::kBackward ? work.backward
                                                     : work.update;
            late[rank] += 20;
            INFO("rank " << rank << " " << phaseName(phase));
            const TraceData data = pipelineSteps(30, work);
            const StepsVerdict verdict = data.verdict();
            CHECK(verdict.finding == StepsFinding::kStraggler);
            CHECK(verdict.rank == static_cast<int>(rank));
            CHECK(verdict.phase == phase);
            CHECK(verdict.stepMs == Approx(10 + static_cast<double>(costMs)));
            CHECK(verdict.lostMs == Approx(static_cast<double>(costMs)));
            CHECK(verdict.share == 1);
            const ReplayResult without = replaySteps(data, {.withoutDelayOf = static_cast<int>(rank)});
            CHECK(without.replayed == Approx(10 + static_cast<double>(costMs)));
            CHECK(without.predicted == Approx(10));
        }
    }
}

TEST_CASE("a delay that the schedule of a pipeline hides costs nothing and names no rank") {
    // The batch of rank 2 arrives after 2 ms, at the same time as the output of rank 1.
    StageWork work;
    work.data[2] = 2;
    const TraceData data = pipelineSteps(30, work);
    CHECK_FALSE(data.verdict().namesRank());
    CHECK(data.verdict().stepMs == 10);
    CHECK(replaySteps(data, {.withoutDelayOf = 2}).predicted == Approx(10));
}

TEST_CASE("a stage with more planned work is a straggler only if it takes clearly longer than planned") {
    StageWork work;
    work.planned = {PlannedShares{0.25, 0.25}, PlannedShares{0.5, 0.5}, PlannedShares{0.25, 0.25}};
    work.forward[1] = 2;
    work.backward[1] = 4;
    work.update[1] = 2;
    CHECK_FALSE(pipelineSteps(30, work).verdict().namesRank());
    work.backward[1] = 5;  // within the tolerance of half of the planned work
    CHECK_FALSE(pipelineSteps(30, work).verdict().namesRank());
    work.backward[1] = 24;  // 20 ms more than twice the others' 2 ms
    const StepsVerdict verdict = pipelineSteps(30, work).verdict();
    CHECK(verdict.rank == 1);
    CHECK(verdict.phase == Phase::kBackward);
    CHECK(verdict.lostMs == Approx(20));
    CHECK(verdict.text ==
          "Rank 1 keeps the other ranks waiting in 100 % of steps and costs 20.0 ms of 33.0 ms per step (median); its "
          "backward takes 6.0 times its planned time.");
    CHECK(replaySteps(pipelineSteps(30, work), {.withoutDelayOf = 1}).predicted == Approx(13));
}

TEST_CASE("the interval without a stage's delay contains the error of the planned shares") {
    // The plan expects equal stages, and rank 1 takes twice as long as rank 0. Rank 2 is delayed by 20 ms.
    StageWork work;
    work.forward[1] = 2;
    work.backward = {2, 4, 22};
    const ReplayResult result = replaySteps(pipelineSteps(30, work), {.withoutDelayOf = 2});
    CHECK(result.replayed == Approx(33));
    CHECK(result.predicted == Approx(15));  // backward of rank 2 as long as that of rank 1
    CHECK(result.low == Approx(13));        // half as long, and not longer than its own forward pass of 1 ms
    CHECK(result.high == Approx(19));       // twice as long
    const ReplayResult equal = replaySteps(pipelineSteps(30, {.backward = {2, 2, 22}}), {.withoutDelayOf = 2});
    CHECK((equal.low == Approx(10) && equal.high == Approx(10)));
}

TEST_CASE("messages that take longer after a change of the link delay the following stages") {
    // Four messages, one after the other, take 3 ms each: the step takes 10 + 12 ms.
    StageWork work;
    work.message = 3;
    const TraceData data = pipelineSteps(30, work);
    CHECK(replaySteps(data, {}).replayed == Approx(22));
    CHECK(replaySteps(data, {.latency = 2}).predicted == Approx(34));
    CHECK(replaySteps(data, {.latency = 0}).predicted == Approx(10));
}

TEST_CASE("changes that the steps of a pipeline or of sharded parameters do not show are refused") {
    for (const StepChange& change : {StepChange{.bucketMiB = 5}, StepChange{.worldSize = 6}}) {
        const ReplayResult result = replaySteps(pipelineSteps(10, {}), change);
        CHECK(result.steps == 0);
        CHECK(result.unanswered.starts_with("steps of a pipeline do not show the effect of"));
        CHECK(replayedTrace(pipelineSteps(10, {}), change, 5).steps().empty());
    }
    CHECK(replaySteps(pipelineSteps(10, {}), {.bandwidth = 2}).unanswered.empty());

    TraceData sharded(2);
    for (int rank = 0; rank < 2; ++rank) {
        StepTrace trace;
        trace.rank = rank;
        trace.step = 1;
        trace.lengthNs = 10 * kPipelineMs;
        trace.phase = {static_cast<std::int64_t>(Phase::kForward)};
        trace.at = trace.cpu = {0};
        trace.group = {0};
        trace.collective = {1};
        trace.kind = {2};  // all-gather
        trace.bytes = {4096};
        trace.ready = trace.arrived = trace.last = {0};
        trace.ended = {kPipelineMs};
        sharded.apply(trace);
    }
    CHECK(replaySteps(sharded, {.bucketMiB = 5}).unanswered.starts_with("steps with sharded parameters do not show"));
    CHECK(replaySteps(sharded, {.withoutDelayOf = 1}).unanswered.empty());
}

TEST_CASE("messages and planned shares survive the telemetry format, and damaged ones are refused") {
    StageWork work;
    work.planned[1] = {0.5, 0.25};
    const StepTrace trace = pipelineStep(7, work)[1];
    const auto decoded = [](const StepTrace& one) {
        std::vector<Event> events;
        Decoder decoder;
        decoder.feed(encode(Event(one)), [&](Event&& event) { events.push_back(std::move(event)); });
        CHECK(decoder.badLines() == (events.empty() ? 1 : 0));
        return events;
    };
    REQUIRE(decoded(trace).size() == 1);
    CHECK(std::get<StepTrace>(decoded(trace)[0]) == trace);
    StepTrace uneven = trace;
    uneven.messagePeer.pop_back();
    CHECK(decoded(uneven).empty());
    StepTrace impossible = trace;
    impossible.planned.compute = 2;
    CHECK(decoded(impossible).empty());
}
