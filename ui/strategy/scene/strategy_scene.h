// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/memory_over_step.h"
#include "cost/step_links.h"
#include "cost/strategy_cost.h"
#include "strategy/scene/step_motion.h"
#include "telemetry/events/events.h"
#include "telemetry/traces/idle_share.h"

namespace ringside {

class ExperimentModel;
class RunData;

// Measurements of a run whose experiment is distributed over its ranks in the same way as the experiment in the form.
struct StrategyMeasurements {
    std::vector<RankMemory> memory;   // memory of each rank; empty: not reported yet
    std::optional<double> idleShare;  // share of idle time in the traced steps, from 0 to 1
    std::int64_t step = 0;            // number of the step, one of typical duration, whose passes are shown; 0: none
    std::vector<std::vector<PassSpan>> passes;  // passes of step number `step`, by rank
    PassesTime range;                           // time from the first forward to the last backward pass in this step
    std::vector<std::optional<std::int64_t>> bytesPerStep;  // bytes that each rank sends per step; empty: not measured
};

// Data that the Strategy page shows for an experiment.
struct StrategyScene {
    RunConfig config;
    bool loading = false;
    std::string problem = {};  // reason why there is no plan; empty if there is one
    std::optional<StrategyCost> cost = {};
    std::vector<StepLink> links = {};  // transfers between ranks in one step; empty if `cost` is empty
    // memory during one step for each rank in curveRanks(); empty if `cost` is empty
    std::vector<MemoryCurve> curves = {};
    std::vector<StrategyChoice> choices = {};
    std::optional<StrategyMeasurements> ran = {};
    std::optional<StepMotion> motion = {};  // positions of the ranks in the current step; empty unless the run is in
                                            // slow motion or executes one phase at a time

    const StrategyPlan& plan() const { return cost->plan; }
    bool isPipeline() const { return cost && cost->plan.mesh.pipeline > 1; }
    bool isSharded() const { return cost && cost->plan.mesh.shard > 1; }
};

StrategyScene plannedScene(const ExperimentModel& experiment, const MachineRates& rates);
// Returns the ranks whose memory during a step is shown: the first rank of each group of ranks with equal work; at most
// eight ranks.
std::vector<int> curveRanks(const StrategyScene& scene);
// Returns the measurements of the run; empty if there is no run, or if its experiment differs in a setting that affects
// the measurements.
std::optional<StrategyMeasurements> strategyMeasurements(const StrategyScene& scene, const RunData& run);

}  // namespace ringside
