// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/rank_memory.h"
#include "cost/step_time.h"
#include "cost/step_traffic.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Cost of an experiment under one strategy.
struct StrategyCost {
    StrategyPlan plan;
    std::vector<PredictedMemory> memory = {};  // memory of each rank
    std::vector<StepTraffic> traffic = {};     // traffic of each rank
    double idleShare = 0;                      // idle share of the schedule if all stages took equal time
    std::int64_t samplesPerStep = 0;           // number of samples of a step over all ranks; differs between strategies
    StepTime time = {};

    std::int64_t largestPeak() const;
    std::int64_t largestTraffic() const;
    // Returns the expected throughput.
    double samplesPerSecond() const { return static_cast<double>(samplesPerStep) / time.total(); }
};

// Plans the experiment and predicts its memory, traffic and time. Returns a problem if a setting does not suit the
// model.
Result<StrategyCost> costOf(const PlanSubject& subject, const MachineRates& rates);

// A strategy that trains the experiment on the same number of ranks.
struct StrategyChoice {
    std::string name = {};     // name of the choice, such as "pipeline:1f1b"
    std::string options = {};  // options in words, such as "4 stages, 8 micro-batches"
    RunConfig config = {};
    bool isCurrent = false;   // true for the experiment as it is configured
    std::string whyNot = {};  // reason why the strategy does not suit this model, world size or memory limit; empty if
                              // the strategy suits them
    std::optional<StrategyCost> cost = {};
};

// Returns all strategies, each with the experiment's own settings (mesh.shard, fsdp.unit, micro-batches, stages of each
// rank). Strategies that do not suit the experiment have the reason in whyNot. Exactly one choice is current: the
// experiment itself, with its mesh, split and schedule.
std::vector<StrategyChoice> strategyChoices(const PlanSubject& subject, const MachineRates& rates);

// Returns the name of the choice that matches a configuration; never empty.
std::string strategyName(const RunConfig& config);

}  // namespace ringside
