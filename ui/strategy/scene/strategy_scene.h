// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/memory_over_step.h"
#include "cost/step_links.h"
#include "cost/strategy_cost.h"
#include "strategy/scene/step_motion.h"
#include "telemetry/data/idle_share.h"
#include "telemetry/events/events.h"

namespace ringside {

class ExperimentModel;
class RunData;

// Measurements of a run with the same strategy.
struct RanScene {
    std::vector<RankMemory> memory;             // memory of each rank; empty: not reported yet
    std::optional<double> idleShare;            // idle share over the traced steps
    std::int64_t step = 0;                      // typical step among the last that all ranks traced; 0: none
    std::vector<std::vector<PassSpan>> passes;  // passes of that step, by rank
    PassesTime range;                           // range of all passes in time
    std::vector<std::optional<std::int64_t>> bytesPerStep;  // bytes sent per step, by rank
};

// Contents of the Strategy page for an experiment, independent of drawing.
struct StrategyScene {
    RunConfig config;
    bool loading = false;
    std::string problem = {};  // reason why there is no plan; empty if there is one
    std::optional<StrategyCost> cost = {};
    std::vector<StepLink> links = {};      // transfers of a step; set together with the cost
    std::vector<MemoryCurve> curves = {};  // memory over the step of the ranks in curveRanks(); set together with the
                                           // cost
    std::vector<StrategyChoice> choices = {};
    std::optional<RanScene> ran = {};
    std::optional<StepMotion> motion = {};  // positions of the ranks; set only in slow motion and single phases

    const StrategyPlan& plan() const { return cost->plan; }
    bool isPipeline() const { return cost && cost->plan.mesh.pipeline > 1; }
    bool isSharded() const { return cost && cost->plan.mesh.shard > 1; }
};

StrategyScene plannedScene(const ExperimentModel& experiment, const MachineRates& rates);
// Returns the ranks whose memory during a step is shown: the first of ranks with equal work, at most eight.
std::vector<int> curveRanks(const StrategyScene& scene);
// Returns the measurements of the run; empty if there is no run, or if its experiment differs from that of the scene.
std::optional<RanScene> ranScene(const StrategyScene& scene, const RunData& run);

}  // namespace ringside
