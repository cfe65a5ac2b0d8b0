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

// What a run of the same strategy showed so far.
struct RanScene {
    std::vector<RankMemory> memory;                         // by rank; empty: not told yet
    std::optional<double> idleShare;                        // over its traced steps
    std::int64_t step = 0;                                  // typical one of the last that all ranks traced; 0: none
    std::vector<std::vector<PassSpan>> passes;              // of that step, by rank
    PassesRange range;                                      // of them
    std::vector<std::optional<std::int64_t>> bytesPerStep;  // by rank
};

// Everything the Strategy page shows of an experiment, before any drawing.
struct StrategyScene {
    RunConfig config;
    bool loading = false;
    std::string problem = {};  // why there is no plan
    std::optional<StrategyCost> cost = {};
    std::vector<StepLink> links = {};      // with the cost
    std::vector<MemoryCurve> curves = {};  // by rank, with the cost; of curveRanks() alone
    std::vector<StrategyChoice> choices = {};
    std::optional<RanScene> ran = {};
    std::optional<StepMotion> motion = {};  // of such a run, in slow motion and single phases

    const StrategyPlan& plan() const { return cost->plan; }
    bool isPipeline() const { return cost && cost->plan.mesh.pipeline > 1; }
    bool isSharded() const { return cost && cost->plan.mesh.shard > 1; }
};

StrategyScene plannedScene(const ExperimentModel& experiment, const MachineRates& rates);
// Whose memory is shown over the step: of ranks that do the same the first, at most eight.
std::vector<int> curveRanks(const StrategyScene& scene);
// None while no run has begun, or it trains something else than this.
std::optional<RanScene> ranScene(const StrategyScene& scene, const RunData& run);

}  // namespace ringside
