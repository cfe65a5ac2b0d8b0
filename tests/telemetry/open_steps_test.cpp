// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/open_steps.h"

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kOpenMs = 1'000'000;

// Three ranks whose first step lasted from 100 ms to 110 ms.
struct StoppedRun {
    RunData data;
    StoppedRun() {
        RunStarted started;
        started.worldSize = 3;
        data.apply(started);
        for (int rank = 0; rank < 3; ++rank) data.apply(step(rank, 10 * kOpenMs));
    }
    static StepTrace step(int rank, std::int64_t lengthNs) {
        StepTrace trace;
        trace.rank = rank;
        trace.step = 1;
        trace.beginNs = 100 * kOpenMs;
        trace.lengthNs = lengthNs;
        trace.phase = {static_cast<std::int64_t>(Phase::kForward)};
        trace.at = {0};
        trace.cpu = {0};
        return trace;
    }
    void beat(int rank, Phase phase, std::int64_t timeMs, std::int64_t stalledMs) {
        Heartbeat beat;
        beat.rank = rank;
        beat.step = 1;
        beat.phase = phase;
        beat.timeUs = timeMs * 1000;
        beat.stalledUs = stalledMs * 1000;
        data.apply(beat);
    }
};

}  // namespace

TEST_CASE("positions of ranks come from their last trace, or from a later heartbeat") {
    StoppedRun run;
    StepTrace open = StoppedRun::step(0, -1);
    open.step = 2;
    open.beginNs = 111 * kOpenMs;
    open.phase.push_back(static_cast<std::int64_t>(Phase::kWaiting));
    open.at.push_back(5 * kOpenMs);
    open.cpu.push_back(0);
    run.data.apply(open);
    run.beat(0, Phase::kWaiting, 3000, 2500);
    run.beat(1, Phase::kBackward, 2000, 1800);
    run.beat(2, Phase::kForward, 105, 0);
    const std::vector<OpenStep> steps = openSteps(run.data);
    REQUIRE(steps.size() == 3);
    CHECK(steps[0].isReported);
    CHECK(steps[0].step == 2);
    CHECK(steps[0].phase == Phase::kWaiting);
    CHECK(steps[0].beginNs == 116 * kOpenMs);
    CHECK(steps[1].phase == Phase::kBackward);
    CHECK(steps[1].beginNs == 200 * kOpenMs);
    CHECK(steps[1].step == 2);
    // The heartbeat of the rank is older than its last step, so its phase is not known.
    CHECK(steps[2].phase == Phase::kIdle);
    CHECK(steps[2].beginNs == 110 * kOpenMs);
    CHECK(traceOf(steps[2]).hasEqualColumnLengths());
    CHECK(traceOf(steps[2]).lengthNs == -1);
}

TEST_CASE("finished ranks and runs without traces have no position") {
    StoppedRun run;
    run.data.apply(RankState{1, RankStage::kFinished, "", 0, 120'000});
    const std::vector<OpenStep> steps = openSteps(run.data);
    REQUIRE(steps.size() == 2);
    CHECK(steps[1].rank == 2);
    CHECK(openSteps(RunData()).empty());
}
