// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/trace_data.h"

#include "support/catch.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

constexpr std::int64_t kTraceMs = 1'000'000;

std::int64_t number(Phase phase) {
    return static_cast<std::int64_t>(phase);
}

// Returns a trace: forward until 10 ms, backward until the rank arrives at the only collective, waiting until `lastMs`,
// 2 ms of transfer and 1 ms of update.
StepTrace traceOf(int rank, std::int64_t step, std::int64_t arrivedMs, std::int64_t lastMs) {
    StepTrace trace;
    trace.rank = rank;
    trace.step = step;
    trace.beginNs = step * 1000 * kTraceMs;
    trace.lengthNs = (lastMs + 3) * kTraceMs;
    trace.cpuNs = (arrivedMs + 3) * kTraceMs;
    trace.queuedNs = 0;
    trace.phase = {number(Phase::kForward), number(Phase::kBackward), number(Phase::kWaiting),
                   number(Phase::kOptimizer)};
    trace.at = {0, 10 * kTraceMs, arrivedMs * kTraceMs, (lastMs + 2) * kTraceMs};
    trace.cpu = {0, 10 * kTraceMs, arrivedMs * kTraceMs, (arrivedMs + 2) * kTraceMs};
    trace.group = {0};
    trace.collective = {step};
    trace.kind = {0};
    trace.bytes = {4096};
    trace.ready = {arrivedMs * kTraceMs};
    trace.arrived = {arrivedMs * kTraceMs};
    trace.last = {lastMs * kTraceMs};
    trace.ended = {(lastMs + 2) * kTraceMs};
    return trace;
}

}  // namespace

TEST_CASE("waiting ends and moving begins when the last rank arrives") {
    StepTrace trace = traceOf(0, 1, 20, 50);
    separateWaitingFromMoving(trace);
    CHECK(trace.phase == std::vector<std::int64_t>{number(Phase::kForward), number(Phase::kBackward),
                                                   number(Phase::kWaiting), number(Phase::kMoving),
                                                   number(Phase::kOptimizer)});
    CHECK(trace.at == std::vector<std::int64_t>{0, 10 * kTraceMs, 20 * kTraceMs, 50 * kTraceMs, 52 * kTraceMs});
    const PhaseTimes times = phaseTimes(trace);
    CHECK(timeOf(times, Phase::kForward) == 10 * kTraceMs);
    CHECK(timeOf(times, Phase::kBackward) == 10 * kTraceMs);
    CHECK(timeOf(times, Phase::kWaiting) == 30 * kTraceMs);
    CHECK(timeOf(times, Phase::kMoving) == 2 * kTraceMs);
    CHECK(timeOf(times, Phase::kOptimizer) == 1 * kTraceMs);
}

TEST_CASE("an unfinished step is known up to its last phase and does not count") {
    TraceData data(2);
    REQUIRE(data.apply(traceOf(0, 1, 20, 20)));
    REQUIRE(data.apply(traceOf(1, 1, 10, 20)));
    StepTrace open;
    open.step = 2;
    open.beginNs = 2000 * kTraceMs;
    open.lengthNs = -1;
    open.phase = {number(Phase::kForward), number(Phase::kBackward), number(Phase::kWaiting)};
    open.at = {0, 10 * kTraceMs, 25 * kTraceMs};
    open.cpu = {0, 0, 0};
    Decoder decoder;
    int reported = 0;
    decoder.feed(encode(Event(open)),
                 [&](Event&& event) { reported += data.apply(std::get<StepTrace>(event)) ? 1 : 0; });
    CHECK(reported == 1);
    const TracedStep* step = data.find(2);
    REQUIRE(step != nullptr);
    CHECK(step->known == 0);
    CHECK(data.latest(10).steps().size() == 1);
    const RankTrace& rank = step->ranks[0];
    CHECK_FALSE(rank.known);
    REQUIRE(rank.spans.size() == 3);
    CHECK(rank.spans[1].endNs == 2025 * kTraceMs);
    CHECK(rank.spans[2].phase == Phase::kWaiting);
    CHECK(rank.spans[2].beginNs == 2025 * kTraceMs);

    // The rank has continued. Lines that arrive late do not change that.
    CHECK(data.apply(traceOf(0, 2, 25, 5000)));
    CHECK(data.apply(open));
    CHECK(data.find(2)->known == 1);
}

TEST_CASE("transfers parallel to computation do not reduce its time") {
    StepTrace trace = traceOf(0, 1, 20, 50);
    trace.last[0] = 12 * kTraceMs;
    trace.ended[0] = 18 * kTraceMs;
    separateWaitingFromMoving(trace);
    CHECK(timeOf(phaseTimes(trace), Phase::kMoving) == 0);
    CHECK(timeOf(phaseTimes(trace), Phase::kBackward) == 10 * kTraceMs);
    CHECK(timeOf(phaseTimes(trace), Phase::kWaiting) == 32 * kTraceMs);
    trace.last[0] = -1;  // an arrival is not known, so no verdict is possible
    const StepTrace before = trace;
    separateWaitingFromMoving(trace);
    CHECK(trace == before);
}

TEST_CASE("a trace is one line and survives the format") {
    StepTrace trace = traceOf(3, 7, 20, 50);
    trace.layer = {-1, 2, -1, -1};
    const Result<Event> read = decodeLine(encode(trace));
    REQUIRE(read.ok());
    CHECK(std::get<StepTrace>(read.value()) == trace);
    trace.at[1] = trace.lengthNs + 1;
    CHECK_FALSE(decodeLine(encode(trace)).ok());
    trace.at[1] = 10 * kTraceMs;
    trace.cpu.pop_back();
    CHECK_FALSE(decodeLine(encode(trace)).ok());
}

TEST_CASE("the traces of a step are joined by its collectives") {
    TraceData data(3);
    CHECK(data.apply(traceOf(0, 4, 20, 50)));
    CHECK(data.apply(traceOf(2, 4, 50, 50)));
    REQUIRE(data.find(4) != nullptr);
    CHECK_FALSE(data.find(4)->complete());
    CHECK(data.apply(traceOf(1, 4, 35, 50)));
    const TracedStep& step = *data.find(4);
    REQUIRE(step.complete());
    REQUIRE(step.arrivals.size() == 1);
    const CollectiveArrivals& meeting = step.arrivals[0];
    CHECK(meeting.lastRank == 2);
    CHECK(meeting.lastNs == 4050 * kTraceMs);
    CHECK(meeting.secondLastArrivalNs == 4035 * kTraceMs);
    CHECK(meeting.arrivedNs == std::vector<std::int64_t>{4020 * kTraceMs, 4035 * kTraceMs, 4050 * kTraceMs});
    CHECK(step.beginNs == 4000 * kTraceMs);
    CHECK(step.endNs == 4053 * kTraceMs);
    CHECK(step.ranks[1].spans[1].beginNs == 4010 * kTraceMs);
    CHECK(step.ranks[1].spans[1].endNs == 4035 * kTraceMs);
    CHECK(data.at(4051 * kTraceMs)->step == 4);
    CHECK_FALSE(data.apply(traceOf(3, 4, 20, 50)));
}

TEST_CASE("only the latest steps are kept") {
    TraceData data(1);
    for (std::int64_t step = 1; step <= 2500; ++step) data.apply(traceOf(0, step, 20, 20));
    CHECK(data.steps().size() == TraceData::kMaxSteps);
    CHECK(data.steps().begin()->first == 501);
    CHECK_FALSE(data.apply(traceOf(0, 3, 20, 20)));
}

TEST_CASE("one rank that is late in backward is named with its share and its cost") {
    TraceData data(4);
    for (std::int64_t step = 1; step <= 20; ++step)
        for (int rank = 0; rank < 4; ++rank) data.apply(traceOf(rank, step, rank == 2 ? 60 : 20, 60));
    const StepsVerdict verdict = data.verdict();
    CHECK(verdict.finding == StepsFinding::kStraggler);
    CHECK(verdict.rank == 2);
    CHECK(verdict.phase == Phase::kBackward);
    CHECK(verdict.share == 1);
    CHECK(verdict.lostMs == 40);
    CHECK(verdict.stepMs == 63);
    // Backward takes 50 ms on rank 2 and 10 ms on the others.
    CHECK(verdict.text ==
          "Rank 2 arrives last in 100 % of steps and costs 40.0 ms of 63.0 ms per step (median); its backward "
          "takes 5.0 times the median of the other ranks.");
}

TEST_CASE("rank 0 is named when it is late, as any other rank") {
    TraceData data(4);
    for (std::int64_t step = 1; step <= 20; ++step)
        for (int rank = 0; rank < 4; ++rank) data.apply(traceOf(rank, step, rank == 0 ? 60 : 20, 60));
    CHECK(data.verdict().rank == 0);
    CHECK(data.verdict().lostMs == 40);
}
