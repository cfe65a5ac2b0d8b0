// SPDX-License-Identifier: Apache-2.0
#include "schedule/schedule_simulation.h"

#include "schedule/goldens_of_schedules.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("makespan, busy time and activations in flight are those recorded for PyTorch's schedules") {
    for (const Json& golden : scheduleGoldens()) {
        INFO(titleOf(golden));
        const ScheduleSimulation simulation = simulate(parseSchedule(rowsOf(golden)).value(), {});
        CHECK(simulation.makespan == golden["makespan"].get<double>());
        CHECK(simulation.busy == golden["busy"].get<std::vector<double>>());
        CHECK(simulation.end == golden["end"].get<std::vector<double>>());
        CHECK(simulation.peakActivations == golden["peak_activations"].get<std::vector<int>>());
        CHECK(simulation.stuck.empty());
    }
}

TEST_CASE("the bubble is that of the schedules' formulas for any times") {
    for (const ActionTimes& t : {ActionTimes{1, 1, 1}, ActionTimes{2, 3, 1}, ActionTimes{5, 4, 4}}) {
        for (const int ranks : {2, 3, 4, 8}) {
            const int microBatches = 2 * ranks;
            const auto bubble = [&](ScheduleKind kind, int stagesPerRank) {
                const Schedule schedule = makeSchedule({kind, ranks, microBatches, stagesPerRank}).value();
                const ScheduleSimulation simulation = simulate(schedule, {{t}});
                return simulation.makespan - simulation.busy.front();
            };
            const double behind = ranks - 1;
            CHECK(bubble(ScheduleKind::kGpipe, 1) == behind * (t.forward + t.input + t.weights));
            CHECK(bubble(ScheduleKind::kOneForwardOneBackward, 1) == behind * (t.forward + t.input + t.weights));
            CHECK(bubble(ScheduleKind::kInterleaved, 2) == behind * (t.forward + t.input + t.weights));
        }
    }
}

TEST_CASE("four stages with eight micro-batches idle for 3 of 11 slots") {
    const Schedule schedule = makeSchedule({ScheduleKind::kOneForwardOneBackward, 4, 8}).value();
    CHECK(simulate(schedule, {}).idleShare() == Approx(3.0 / 11));
}

TEST_CASE("messages take their time from rank to rank and not within one") {
    const Schedule schedule = makeSchedule({ScheduleKind::kGpipe, 2, 1}).value();
    CHECK(simulate(schedule, {.message = 10}).makespan == 26);  // F, message, F, B, message, B
    const Schedule alone = parseSchedule("0F0,1F0,1B0,0B0").value();
    CHECK(simulate(alone, {.message = 10}).makespan == 6);
}
