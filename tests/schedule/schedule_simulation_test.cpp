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

TEST_CASE("the halves of a backward have their own durations, and messages delay both directions") {
    const Schedule schedule = parseSchedule("0F0,0I0,0W0\n1F0,1I0,1W0").value();
    const ScheduleSimulation simulation = simulate(schedule, {.stages = {{1, 2, 3}}, .message = 0.5});
    REQUIRE(simulation.actions.size() == 6);
    const std::vector<std::pair<double, double>> times = {{0, 1},     {5, 7},     {7, 10},  // rank 0
                                                          {1.5, 2.5}, {2.5, 4.5}, {4.5, 7.5}};
    for (std::size_t i = 0; i < times.size(); ++i) {
        CAPTURE(i);
        CHECK(simulation.actions[i].rank == (i < 3 ? 0 : 1));
        CHECK(simulation.actions[i].action == schedule.ranks[i / 3][i % 3]);
        CHECK(simulation.actions[i].begin == times[i].first);
        CHECK(simulation.actions[i].end == times[i].second);
    }
    CHECK(simulation.makespan == 10);
    CHECK(simulation.busy == std::vector<double>{6, 6});
    CHECK(simulation.end == std::vector<double>{10, 7.5});
    CHECK(simulation.idleShare(0) == Approx(0.4));
    CHECK(simulation.idleShare() == Approx(0.4));
    CHECK(simulation.peakActivations == std::vector<int>{1, 1});
}

TEST_CASE("each stage has its own durations, and the last ones apply to later stages") {
    const Schedule schedule = parseSchedule("0F0,1F0,2F0,2B0,1B0,0B0").value();
    CHECK(simulate(schedule, {{{1, 2, 4}, {8, 16, 32}}}).makespan == 7 + 56 + 56);
    CHECK(simulate(schedule, {}).makespan == 9);  // F, I and W take 1 each
    CHECK(ActionTimes{1, 2, 4}.timeOf(PipelineWork::kForward) == 1);
    CHECK(ActionTimes{1, 2, 4}.timeOf(PipelineWork::kInput) == 2);
    CHECK(ActionTimes{1, 2, 4}.timeOf(PipelineWork::kWeights) == 4);
    CHECK(ActionTimes{1, 2, 4}.timeOf(PipelineWork::kBackward) == 6);
}

TEST_CASE("a pair starts when the inputs of both halves have arrived") {
    const std::string second = "\n1F0,1B0,1F1,1B1";
    const Schedule paired = parseSchedule("0F0,(0F1;0B0)OVERLAP_F_B,0B1" + second).value();
    const ScheduleSimulation simulation = simulate(paired, {});
    // The pair starts at 4, when rank 1 has finished 1B0.
    REQUIRE(simulation.actions.size() == 8);
    CHECK(simulation.actions[1].begin == 4);
    CHECK(simulation.actions[2].begin == 5);
    CHECK(simulation.actions[3].begin == 8);
    CHECK(simulation.makespan == 10);
    CHECK(simulation.peakActivations == std::vector<int>{2, 1});
    CHECK(simulate(parseSchedule("0F0,0F1,0B0,0B1" + second).value(), {}).makespan == 9);
}

TEST_CASE("ranks that wait forever are listed with the action they wait at") {
    const Schedule schedule = parseSchedule("0F0,0B0,0F1,0B1\n1F1,1F0,1B0,1B1").value();
    const ScheduleSimulation simulation = simulate(schedule, {});
    REQUIRE(simulation.stuck.size() == 2);
    CHECK((simulation.stuck[0].rank == 0 && simulation.stuck[0].action.text() == "0B0"));
    CHECK((simulation.stuck[1].rank == 1 && simulation.stuck[1].action.text() == "1F1"));
    CHECK(simulation.actions.size() == 1);
    CHECK(simulation.makespan == 1);
}

TEST_CASE("without actions no share of the time is idle") {
    CHECK(simulate({}, {}).idleShare() == 0);
    CHECK(simulate(parseSchedule("1F0,0F0").value(), {}).idleShare() == 0);
}
