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

std::int64_t StrategyCost::largestTraffic() const {
    std::int64_t most = 0;
    for (const StepTraffic& one : traffic) most = std::max(most, one.total());
    return most;
}

Result<StrategyCost> costOf(const PlanSubject& subject, const MachineRates& rates) {
    Result<StrategyPlan> plan = planStrategy(subject);
    if (!plan) return plan.problem();
    StrategyCost cost{.plan = std::move(plan).value(), .samplesPerStep = subject.samplesPerStep()};
    for (int rank = 0; rank < cost.plan.mesh.ranks(); ++rank) {
        cost.memory.push_back(predictMemory(subject, cost.plan, rank));
        cost.traffic.push_back(predictTraffic(subject, cost.plan, rank));
    }
    cost.idleShare = idleShareOf(cost.plan.schedule);
    cost.time =
        predictTime(subject, cost.plan, *std::ranges::max_element(cost.traffic, {}, &StepTraffic::total), rates);
    return cost;
}

}  // namespace ringside
