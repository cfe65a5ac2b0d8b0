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

// Cost of an experiment under one strategy.
struct StrategyCost {
    StrategyPlan plan;
    std::vector<PredictedMemory> memory = {};  // by rank
    std::vector<StepTraffic> traffic = {};     // by rank
    double idleShare = 0;                      // of the schedule, as if all stages took the same time
    std::int64_t samplesPerStep = 0;           // of all ranks; steps of strategies are compared by it
    StepTime time = {};

    std::int64_t largestPeak() const;
    std::int64_t mostBytes() const;
    double samplesPerSecond() const { return static_cast<double>(samplesPerStep) / time.all(); }  // expected
};

Result<StrategyCost> costOf(const CostSubject& subject, const MachineRates& rates);

// A strategy that trains the experiment on as many ranks.
struct StrategyChoice {
    std::string name = {};     // "pipeline:1f1b"
    std::string options = {};  // "4 stages, 8 micro-batches"
    RunConfig config = {};
    bool isCurrent = false;   // the experiment as it is configured
    std::string whyNot = {};  // why it does not suit this model, world size or memory; empty: it does
    std::optional<StrategyCost> cost = {};
};

// Returns every strategy with the experiment's own settings (shards, units, micro-batches, stages of each rank), those
// that do not suit with the reason. Exactly one is current: the experiment itself, with its mesh, split and schedule.
std::vector<StrategyChoice> strategyChoices(const CostSubject& subject, const MachineRates& rates);

// Returns the name of the choice that a configuration is: never empty.
std::string strategyName(const RunConfig& config);

}  // namespace ringside
