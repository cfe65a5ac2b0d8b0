// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace ringside {

// Durations of the actions of one stage, in any unit of time.
struct ActionTimes {
    double forward = 1;
    double input = 1;
    double weights = 1;

    double timeOf(PipelineWork work) const;
};

struct SimulationTimes {
    // Durations of the actions, by stage. The last entry applies to all later stages as well; if the list is empty, all
    // durations are 1.
    std::vector<ActionTimes> stages = {};
    double message = 0;  // additional time of a message between two ranks, in the unit of the durations in `stages`

    ActionTimes timesOf(int stage) const;
};

struct SimulatedAction {
    int rank = 0;
    PipelineAction action;
    double begin = 0;
    double end = 0;
};

struct ScheduleSimulation {
    std::vector<SimulatedAction> actions;  // executed actions, sorted by rank, then in order of execution
    double makespan = 0;
    std::vector<double> busy;  // total duration of the actions, by rank
    std::vector<double> end;   // end of the last action, by rank
    // Largest number of micro-batches in flight, summed over the rank's stages, by rank. The activations of a
    // micro-batch are kept from its forward action (F) until its backward action (B or W).
    std::vector<int> peakActivations;
    std::vector<SimulatedAction> stuck;  // first action of each rank that would wait forever

    // Returns the fraction of the schedule's duration in which this rank is idle.
    double idleShare(int rank) const { return 1 - busy[static_cast<std::size_t>(rank)] / makespan; }
    // Returns the mean of the ranks' idle fractions.
    double idleShare() const;
};

// Simulates a schedule. Every rank executes its actions in order, each as soon as its inputs are available: a forward
// action needs the result of the forward action of the previous stage; a backward action needs the forward action of
// its own stage and the backward action (B or I) of the next stage.
ScheduleSimulation simulate(const Schedule& schedule, const SimulationTimes& times);

}  // namespace ringside
