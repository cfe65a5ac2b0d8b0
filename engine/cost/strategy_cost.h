// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/cost_subject.h"
#include "cost/rank_memory.h"
#include "cost/step_time.h"
#include "cost/step_traffic.h"

namespace ringside {

// What an experiment costs as it is spread over its ranks.
struct StrategyCost {
    StrategyPlan plan;
    std::vector<PredictedMemory> memory = {};  // by rank
    std::vector<StepTraffic> traffic = {};     // by rank
    double idleShare = 0;                      // by the schedule's formula
    StepTime time = {};

    std::int64_t largestPeak() const;
    std::int64_t mostBytes() const;
};

Result<StrategyCost> costOf(const CostSubject& subject, const MachineRates& rates);

// A way of training the experiment on as many ranks.
struct StrategyChoice {
    std::string name;     // "pipeline:1f1b"
    std::string options;  // "4 stages, 8 micro-batches"
    RunConfig config;
    std::string whyNot = {};  // it does not suit this model, world size or memory
    std::optional<StrategyCost> cost = {};
};

// All that there are, those that do not suit with the reason.
std::vector<StrategyChoice> strategyChoices(const CostSubject& subject, const MachineRates& rates);

// Which of them a configuration is; empty: none of those.
std::string strategyName(const RunConfig& config);

}  // namespace ringside
