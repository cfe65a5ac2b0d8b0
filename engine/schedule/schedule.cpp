// SPDX-License-Identifier: Apache-2.0
#include "schedule/schedule.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "schedule/schedule_simulation.h"

namespace ringside {

std::string PipelineAction::text() const {
    return std::to_string(stage) + static_cast<char>(work) + std::to_string(microBatch);
}

int Schedule::stageCount() const {
    int count = 0;
    for (const auto& actions : ranks)
        for (const PipelineAction& action : actions) count = std::max(count, action.stage + 1);
    return count;
}

int Schedule::microBatchCount() const {
    int count = 0;
    for (const auto& actions : ranks)
        for (const PipelineAction& action : actions) count = std::max(count, action.microBatch + 1);
    return count;
}

int Schedule::rankOf(int stage) const {
    for (int rank = 0; rank < rankCount(); ++rank)
        for (const PipelineAction& action : ranks[static_cast<std::size_t>(rank)])
            if (action.stage == stage) return rank;
    return -1;
}

namespace {

Problem wrong(const std::string& what, const std::string& remedy) {
    return {"", what, remedy};
}

// Numbers of the forward and backward actions that a schedule contains for one stage and micro-batch.
struct Passes {
    int forward = 0;
    int input = 0;
    int weights = 0;
};

Result<bool> checkOrder(const PipelineAction& action, Passes& passes, int rank) {
    const bool backward = action.work == PipelineWork::kBackward;
    const std::string where = action.text() + " on rank " + std::to_string(rank);
    if (action.work != PipelineWork::kForward && passes.forward == 0)
        return wrong(where + " comes before the forward action (F) of its stage and micro-batch",
                     "put that forward action first");
    if (action.work == PipelineWork::kWeights && passes.input == 0)
        return wrong(where + " comes before the input-gradient action (I) of its stage and micro-batch",
                     "put the I action first");
    passes.forward += action.work == PipelineWork::kForward ? 1 : 0;
    passes.input += backward || action.work == PipelineWork::kInput ? 1 : 0;
    passes.weights += backward || action.work == PipelineWork::kWeights ? 1 : 0;
    if (std::max({passes.forward, passes.input, passes.weights}) > 1)
        return wrong(where + " occurs twice", "remove one of the two actions");
    return true;
}

}  // namespace

Result<bool> checkSchedule(const Schedule& schedule) {
    std::map<std::pair<int, int>, Passes> seen;
    std::map<int, int> owner;
    for (int rank = 0; rank < schedule.rankCount(); ++rank) {
        for (const PipelineAction& action : schedule.ranks[static_cast<std::size_t>(rank)]) {
            const auto [place, isNew] = owner.emplace(action.stage, rank);
            if (place->second != rank)
                return wrong("stage " + std::to_string(action.stage) + " is on rank " + std::to_string(place->second) +
                                 " and on rank " + std::to_string(rank),
                             "give each stage to one rank");
            const Result<bool> inOrder = checkOrder(action, seen[{action.stage, action.microBatch}], rank);
            if (!inOrder) return inOrder.problem();
        }
    }
    for (int stage = 0; stage < schedule.stageCount(); ++stage) {
        for (int microBatch = 0; microBatch < schedule.microBatchCount(); ++microBatch) {
            const Passes& passes = seen[{stage, microBatch}];
            if (passes.forward + passes.input + passes.weights == 3) continue;
            return wrong("micro-batch " + std::to_string(microBatch) +
                             " does not run forward and backward through stage " + std::to_string(stage),
                         "give every stage an F and a B, or an F, an I and a W, for every micro-batch");
        }
    }
    const ScheduleSimulation simulation = simulate(schedule, {});
    if (simulation.stuck.empty()) return true;
    return wrong("rank " + std::to_string(simulation.stuck.front().rank) + " would wait forever at " +
                     simulation.stuck.front().action.text(),
                 "order the actions so that each one comes after those that it depends on");
}

}  // namespace ringside
