// SPDX-License-Identifier: Apache-2.0
#include "cost/strategy_cost.h"

#include <algorithm>

#include "base/text/number_text.h"

namespace ringside {

std::int64_t StrategyCost::largestPeak() const {
    std::int64_t most = 0;
    for (const PredictedMemory& one : memory) most = std::max(most, one.peak());
    return most;
}

std::int64_t StrategyCost::mostBytes() const {
    std::int64_t most = 0;
    for (const StepTraffic& one : traffic) most = std::max(most, one.all());
    return most;
}

std::optional<Problem> notPredicted(const RunConfig& config) {
    if (config.parallel.strategy == "data_parallel")
        return Problem{"parallel.strategy", "is data_parallel, whose devices' memory is not predicted yet",
                       "run it to see what it takes"};
    if (config.training.reduction == "canonical")
        return Problem{"training.reduction", "is canonical, whose leaves' memory and bytes are not predicted yet",
                       "set it to rank to compare strategies"};
    return {};
}

Result<StrategyCost> costOf(const CostSubject& subject, const MachineRates& rates) {
    if (const std::optional<Problem> unknown = notPredicted(subject.config)) return *unknown;
    Result<StrategyPlan> plan = planStrategy(subject);
    if (!plan) return plan.problem();
    StrategyCost cost{.plan = std::move(plan).value()};
    for (int rank = 0; rank < cost.plan.mesh.ranks(); ++rank) {
        cost.memory.push_back(predictMemory(subject, cost.plan, rank));
        cost.traffic.push_back(predictTraffic(subject, cost.plan, rank));
    }
    cost.idleShare = idleShareOf(cost.plan.schedule);
    cost.time = predictTime(subject, cost.plan, *std::ranges::max_element(cost.traffic, {}, &StepTraffic::all), rates);
    return cost;
}

}  // namespace ringside
