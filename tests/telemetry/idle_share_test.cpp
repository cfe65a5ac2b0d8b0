// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/idle_share.h"

#include "support/catch.h"

using namespace ringside;

namespace {

// Returns a step of 100 ns with these phases and the times at which they begin.
StepTrace stepOf(int rank, std::int64_t step, std::vector<std::pair<Phase, std::int64_t>> spans) {
    StepTrace trace;
    trace.rank = rank;
    trace.step = step;
    trace.beginNs = step * 1000;
    trace.lengthNs = 100;
    for (const auto& [phase, at] : spans) {
        trace.phase.push_back(static_cast<std::int64_t>(phase));
        trace.at.push_back(at);
        trace.cpu.push_back(0);
    }
    return trace;
}

// Rank 0: forward 0-20 and 20-40 after a moment, backward 60-100 of which it waits 10. Rank 1: 20-30 and 40-60.
TraceData twoRanks() {
    TraceData data(2);
    using enum Phase;
    data.apply(stepOf(
        0, 1,
        {{kForward, 0}, {kIdle, 20}, {kForward, 20}, {kIdle, 40}, {kBackward, 60}, {kWaiting, 70}, {kBackward, 80}}));
    data.apply(stepOf(1, 1, {{kIdle, 0}, {kForward, 20}, {kIdle, 30}, {kBackward, 40}, {kOptimizer, 60}}));
    return data;
}

}  // namespace

TEST_CASE("passes are separated by other phases, and waiting within a pass is not work") {
    const TraceData data = twoRanks();
    const std::vector<PassSpan> passes = passesOf(data.find(1)->ranks[0]);
    REQUIRE(passes.size() == 3);
    CHECK_FALSE(passes[1].backward);
    CHECK(passes[1].endNs - passes[1].beginNs == 20);
    CHECK(passes[2].backward);
    CHECK(passes[2].endNs - passes[2].beginNs == 40);
    CHECK(passes[2].busyNs == 30);
}

TEST_CASE("the idle share is the time without computation between the first and last pass of a step") {
    TraceData data = twoRanks();
    // In twice 100 ns, rank 0 works 20 + 20 + 30 and rank 1 works 10 + 20.
    CHECK(*measuredIdleShare(data, 2) == Approx(1 - 100.0 / 200));
    CHECK(*typicalStepSeconds(data) == Approx(100e-9));
    data.apply(stepOf(0, 2, {{Phase::kForward, 0}}));  // the trace of the other rank is missing
    CHECK(*measuredIdleShare(data, 2) == Approx(0.5));
    CHECK_FALSE(measuredIdleShare(TraceData(2), 2));
}

// Waiting 40 of 100 ns: for a collective that is no idle time, for a message of another stage it is.
TEST_CASE("waiting for a collective is not idle time, waiting for another stage is") {
    using enum Phase;
    StepTrace trace = stepOf(0, 1, {{kForward, 0}, {kWaiting, 20}, {kMoving, 50}, {kBackward, 60}});
    TraceData stages(1);
    stages.apply(trace);
    CHECK(*measuredIdleShare(stages, 2) == Approx(0.4));
    CHECK(*measuredIdleShare(stages, 1) == 0);  // no rank has a stage that another one waits for
    trace.group = {0};
    trace.collective = {1};
    trace.kind = {2};
    trace.bytes = {64};
    trace.ready = {21};
    trace.arrived = {22};
    trace.last = {50};
    trace.ended = {59};
    TraceData gathers(1);
    gathers.apply(trace);
    CHECK(*measuredIdleShare(gathers, 2) == Approx(0).margin(1e-12));
}

TEST_CASE("a step with a pause for inspection does not count for step times") {
    TraceData data = twoRanks();
    const auto share = measuredIdleShare(data, 2);
    const auto seconds = typicalStepSeconds(data);
    using enum Phase;
    for (const std::int64_t step : {2, 3})
        for (const int rank : {0, 1})
            data.apply(stepOf(rank, step, {{kForward, 0}, {kPaused, 10}, {kForward, 80}, {kBackward, 90}}));
    CHECK(wasPaused(*data.find(2)));
    CHECK_FALSE(wasPaused(*data.find(1)));
    CHECK(measuredIdleShare(data, 2) == share);
    CHECK(typicalStepSeconds(data) == seconds);
    // All steps contain a pause, so the idle share is not known.
    data.apply(stepOf(1, 1, {{kPaused, 0}, {kForward, 50}}));
    CHECK_FALSE(measuredIdleShare(data, 2));
}

TEST_CASE("waiting for collectives before the first and after the last pass is outside of the idle share") {
    using enum Phase;
    // Passes from 20 to 80 ns, of which 10 are a wait for a collective and 20 compute nothing.
    StepTrace trace =
        stepOf(0, 1, {{kWaiting, 0}, {kForward, 20}, {kIdle, 30}, {kWaiting, 50}, {kBackward, 60}, {kWaiting, 80}});
    trace.group = {0, 0, 0};
    trace.collective = {1, 2, 3};
    trace.kind = {2, 2, 2};
    trace.bytes = {64, 64, 64};
    trace.ready = {0, 45, 75};
    trace.arrived = {5, 50, 80};
    trace.last = {10, 55, 90};
    trace.ended = {20, 60, 100};
    TraceData data(1);
    data.apply(trace);
    CHECK(*measuredIdleShare(data, 2) == Approx(20.0 / 50));
    // If a wait begins before the first pass of another rank and ends after its begin, it counts from that begin.
    TraceData two(2);
    StepTrace other = stepOf(1, 1, {{kIdle, 0}, {kForward, 40}, {kBackward, 60}, {kIdle, 80}});
    trace = stepOf(0, 1, {{kWaiting, 0}, {kForward, 50}, {kBackward, 60}, {kWaiting, 70}});
    trace.group = {0, 0};
    trace.collective = {1, 2};
    trace.kind = {2, 2};
    trace.bytes = {64, 64};
    trace.ready = {0, 65};
    trace.arrived = {5, 70};
    trace.last = {10, 75};
    trace.ended = {50, 100};
    two.apply(trace);
    two.apply(other);
    // The range is 40 to 80. Rank 0 waits from 40 to 50 and from 70 to 80 and works 20; rank 1 works 40.
    CHECK(*measuredIdleShare(two, 2) == Approx(1 - 60.0 / (20 + 40)).margin(1e-12));
}
