// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace ringside {

// How long an action takes, in any unit. Of a stage; stages may differ.
struct ActionTimes {
    double forward = 1;
    double input = 1;
    double weights = 1;

    double of(PipelineWork work) const;
};

struct SimulationTimes {
    std::vector<ActionTimes> stages = {};  // by stage; the last one stands for those behind it; empty: all 1
    double message = 0;                    // from rank to rank, on top

    ActionTimes of(int stage) const;
};

struct SimulatedAction {
    int rank = 0;
    PipelineAction action;
    double begin = 0;
    double end = 0;
};

struct ScheduleSimulation {
    std::vector<SimulatedAction> actions;  // by rank, in order
    double makespan = 0;
    std::vector<double> busy;            // by rank
    std::vector<double> end;             // of its last action
    std::vector<int> peakActivations;    // stages x micro-batches in flight at most: from F to B or W
    std::vector<SimulatedAction> stuck;  // the first action of each rank that would wait for ever

    // Part of the makespan in which this rank, or the average one, does nothing.
    double idleShare(int rank) const { return 1 - busy[static_cast<std::size_t>(rank)] / makespan; }
    double idleShare() const;
};

// Every rank does its actions in order, each as soon as what it needs is there: a forward the forward of the stage
// before, a backward the forward and the backward (its I) of the stage behind.
ScheduleSimulation simulate(const Schedule& schedule, const SimulationTimes& times);

}  // namespace ringside
