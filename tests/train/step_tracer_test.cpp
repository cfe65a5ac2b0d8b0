// SPDX-License-Identifier: Apache-2.0
#include "train/trace/step_tracer.h"
#include "support/choices.h"

#include <algorithm>

#include "support/catch.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig tracedConfig(const std::string& trace) {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.loader.batchSize = 64;
    config.training.epochs = 1;
    choose(config.telemetry.trace, trace);
    return config;
}

}  // namespace

TEST_CASE("every rank traces the same steps, and their times add up to the step") {
    const auto ranks = trainAsThreads(tracedConfig("phases"));
    REQUIRE(ranks.size() == 2);
    REQUIRE(ranks[0].traces.size() >= 4);
    REQUIRE(ranks[0].traces.size() == ranks[1].traces.size());
    for (std::size_t at = 0; at < ranks[0].traces.size(); ++at) {
        CHECK(ranks[0].traces[at].step == ranks[1].traces[at].step);
        for (const RankReport& rank : ranks) {
            const StepTrace& trace = rank.traces[at];
            REQUIRE(trace.hasEqualColumnLengths());
            std::int64_t sum = 0;
            for (const std::int64_t ns : phaseTimes(trace)) sum += ns;
            CHECK(sum == trace.lengthNs);
            CHECK(timeOf(phaseTimes(trace), Phase::kForward) > 0);
            CHECK(timeOf(phaseTimes(trace), Phase::kBackward) > 0);
            CHECK(trace.collective.size() >= 1);
            CHECK(trace.collective == ranks[0].traces[at].collective);
            CHECK(trace.last[0] >= 0);
        }
    }
}

TEST_CASE("a traced step begins at the run's clock, even if the clock was corrected in between") {
    PhaseTrack phases;
    CollectiveTrace collectives(phases, 16);
    StepTracer tracer({.trace = TraceLevel::kPhases}, phases, collectives);
    std::int64_t step = 0;
    for (const std::int64_t start : {std::int64_t{0}, std::int64_t{5'000'000}, std::int64_t{-7'000'000'000}}) {
        const std::int64_t before = monotonicNs();
        tracer.begin(++step, 0, start);
        const StepTrace* trace = tracer.end();
        REQUIRE(trace != nullptr);
        CHECK(trace->beginNs + start >= before);
        CHECK(trace->beginNs + start <= monotonicNs());
    }
}

TEST_CASE("only sums, or nothing, are traced if set") {
    const auto sums = trainAsThreads(tracedConfig("steps"));
    CHECK(sums[0].traces.empty());
    CHECK(std::ranges::count_if(sums[0].steps, [](const StepRecord& step) { return step.traced; }) >= 4);
    const auto off = trainAsThreads(tracedConfig("off"));
    CHECK(off[0].traces.empty());
    CHECK(std::ranges::none_of(off[0].steps, [](const StepRecord& step) { return step.traced; }));
}

TEST_CASE("tracing does not change the training") {
    const auto traced = trainAsThreads(tracedConfig("phases"));
    const auto plain = trainAsThreads(tracedConfig("off"));
    CHECK(traced[0].parameters == plain[0].parameters);
}

TEST_CASE("without tracing, steps can still be recorded on request") {
    PhaseTrack phases;
    CollectiveTrace collectives(phases, 4);
    StepTracer tracer({.trace = GENERATE(TraceLevel::kOff, TraceLevel::kSteps)}, phases, collectives);
    const auto reported = [&](std::int64_t step) {
        tracer.begin(step, 0);
        const PhaseScope forward(phases, Phase::kForward);
        return tracer.end() != nullptr;
    };
    CHECK_FALSE(reported(1));
    tracer.recordSteps(2);
    CHECK(reported(2));
    CHECK(reported(3));
    CHECK_FALSE(reported(4));
}

TEST_CASE("only a traced step reports its progress") {
    PhaseTrack phases;
    CollectiveTrace collectives(phases, 4);
    StepTracer tracer({.rank = 3}, phases, collectives);
    CHECK_FALSE(tracer.unfinishedTrace());
    tracer.setInterval(2);
    tracer.begin(2, 1);
    { const PhaseScope forward(phases, Phase::kForward); }
    const PhaseScope waiting(phases, Phase::kWaiting);
    const std::optional<StepTrace> open = tracer.unfinishedTrace();
    REQUIRE(open);
    CHECK(open->rank == 3);
    CHECK(open->step == 2);
    CHECK(open->epoch == 1);
    CHECK(open->lengthNs == -1);
    REQUIRE(open->phase.size() == 4);
    CHECK(open->phase[1] == static_cast<std::int64_t>(Phase::kForward));
    CHECK(open->phase.back() == static_cast<std::int64_t>(Phase::kWaiting));
    CHECK(std::ranges::is_sorted(open->at));
    CHECK(open->hasEqualColumnLengths());
    REQUIRE(tracer.end() != nullptr);
    CHECK_FALSE(tracer.unfinishedTrace());
    tracer.begin(3, 1);
    CHECK_FALSE(tracer.unfinishedTrace());
}

TEST_CASE("every k-th step is traced, and each step while a recording is requested") {
    PhaseTrack phases;
    CollectiveTrace collectives(phases, 4);
    StepTracer tracer({}, phases, collectives);
    const auto traced = [&](std::int64_t step) {
        tracer.begin(step, 0);
        return tracer.end() != nullptr;
    };
    tracer.setInterval(4);
    CHECK_FALSE(traced(3));
    CHECK(traced(4));
    CHECK_FALSE(traced(5));
    tracer.recordSteps(2);
    CHECK(traced(6));
    CHECK(traced(7));
    CHECK_FALSE(traced(9));
    CHECK(traced(12));
}

TEST_CASE("a manually triggered step is always traced") {
    PhaseTrack phases;
    CollectiveTrace collectives(phases, 4);
    StepTracer tracer({}, phases, collectives);
    tracer.setInterval(32);
    tracer.begin(243, 0, 0, false);
    CHECK(tracer.end() == nullptr);
    tracer.begin(244, 0, 0, true);
    CHECK(tracer.end() != nullptr);
}

TEST_CASE("communication during a pause belongs to the pause, not to the step") {
    PhaseTrack phases;
    CollectiveTrace collectives(phases, 4);
    StepTracer tracer({}, phases, collectives);
    tracer.begin(1, 0);
    {
        const PhaseScope held(phases, Phase::kPaused);
        for (int round = 0; round < 2; ++round) {
            const PhaseScope waiting(phases, Phase::kWaiting);
            const PhaseScope moving(phases, Phase::kMoving);
        }
        CHECK(tracer.unfinishedTrace()->phase.back() == static_cast<std::int64_t>(Phase::kPaused));
    }
    { const PhaseScope waiting(phases, Phase::kWaiting); }  // of the step itself
    const StepTrace* trace = tracer.end();
    REQUIRE(trace != nullptr);
    const auto count = [&](Phase phase) { return std::ranges::count(trace->phase, static_cast<std::int64_t>(phase)); };
    CHECK(count(Phase::kWaiting) == 1);
    CHECK(count(Phase::kMoving) == 0);
    CHECK(count(Phase::kPaused) >= 3);
}
