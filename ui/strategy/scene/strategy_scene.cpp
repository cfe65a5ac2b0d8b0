// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/scene/strategy_scene.h"

#include <algorithm>
#include <utility>

#include "base/json/json.h"
#include "config/mesh.h"
#include "models/experiment_model.h"
#include "telemetry/data/run_data.h"

namespace ringside {
namespace {

// True if both experiments have the same settings for strategy, ranks, devices, model, batch size, optimizer and
// recomputation, on which the measurements of the page depend.
bool isSpreadAlike(const RunConfig& run, const RunConfig& shown) {
    const RunConfig one = withProcessesAsRanks(run);
    const RunConfig other = withProcessesAsRanks(shown);
    return one.parallel.strategy == other.parallel.strategy && one.parallel.worldSize == other.parallel.worldSize &&
           meshOf(one) == meshOf(other) && one.pipeline == other.pipeline && one.fsdp == other.fsdp &&
           devicesOf(one) == devicesOf(other) && one.model == other.model &&
           one.loader.batchSize == other.loader.batchSize && one.optimizer.kind == other.optimizer.kind &&
           one.training.recompute == other.training.recompute;
}

std::optional<RunConfig> configOf(const RunData& run) {
    if (!run.started()) return {};
    const Result<Json> json = parseJson(run.started()->config, "the run's experiment");
    if (!json) return {};
    const Result<RunConfig> config = RunConfig::fromJson(json.value());
    return config ? std::optional(config.value()) : std::nullopt;
}

}  // namespace

StrategyScene plannedScene(const ExperimentModel& experiment, const MachineRates& rates) {
    StrategyScene scene{.config = experiment.resolvedConfig()};
    if (!experiment.data()) {
        scene.loading = experiment.isLoadingData();
        if (!scene.loading && !experiment.problems().empty()) scene.problem = experiment.problems().front().text();
        return scene;
    }
    const Result<PlanSubject> subject = planSubject(scene.config, *experiment.data());
    if (!subject) {
        scene.problem = subject.problem().text();
        return scene;
    }
    scene.choices = strategyChoices(subject.value(), rates);
    if (const Problems problems = scene.config.validateForTraining(); !problems.empty()) {
        scene.problem = problems.front().text();
        return scene;
    }
    Result<StrategyCost> cost = costOf(subject.value(), rates);
    if (!cost) {
        scene.problem = cost.problem().text();
        return scene;
    }
    scene.cost = std::move(cost).value();
    scene.links = stepLinks(subject.value(), scene.plan());
    scene.curves.resize(static_cast<std::size_t>(scene.plan().mesh.ranks()));
    for (const int rank : curveRanks(scene))
        scene.curves[static_cast<std::size_t>(rank)] = memoryOverStep(subject.value(), scene.plan(), rank);
    return scene;
}

std::vector<int> curveRanks(const StrategyScene& scene) {
    constexpr std::size_t kMax = 8;
    std::vector<int> ranks;
    const Mesh& mesh = scene.plan().mesh;
    // Returns the first rank of each stage of a pipeline. Without a pipeline, returns all ranks of a sharded model,
    // because their shards can differ by a row of a tensor, and one rank of replicas without shards.
    const std::int64_t step = mesh.pipeline > 1 ? mesh.dataRanks() : mesh.shard > 1 ? 1 : mesh.ranks();
    for (std::int64_t rank = 0; rank < mesh.ranks() && ranks.size() < kMax; rank += step)
        ranks.push_back(static_cast<int>(rank));
    return ranks;
}

namespace {

std::size_t passCount(const TracedStep& step) {
    std::size_t count = 0;
    for (const RankTrace& rank : step.ranks) count += passesOf(rank).size();
    return count;
}

// Returns the step of median duration among the last 15 complete steps in which no rank paused; null if there is none.
// Ignores steps with fewer passes than other steps, because the last batch of an epoch can be smaller and have fewer
// micro-batches.
const TracedStep* typicalStep(const TraceData& trace) {
    constexpr std::size_t kMaxSteps = 15;
    std::vector<std::pair<std::int64_t, const TracedStep*>> steps;  // duration in ns, and step
    std::size_t most = 0;
    std::size_t checked = 0;
    for (auto step = trace.steps().rbegin(); step != trace.steps().rend() && checked < kMaxSteps; ++step) {
        const PassesTime range = passesTime(step->second);
        if (!step->second.complete() || wasPaused(step->second) || range.endNs <= range.beginNs) continue;
        ++checked;
        const std::size_t count = passCount(step->second);
        if (count < most) continue;
        if (count > most) steps.clear();
        most = count;
        steps.emplace_back(range.endNs - range.beginNs, &step->second);
    }
    if (steps.empty()) return nullptr;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::ranges::nth_element(steps, middle);
    return middle->second;
}

}  // namespace

std::optional<StrategyMeasurements> strategyMeasurements(const StrategyScene& scene, const RunData& run) {
    const std::optional<RunConfig> config = configOf(run);
    if (!config || !scene.cost || !isSpreadAlike(*config, scene.config)) return {};
    StrategyMeasurements ran;
    for (const RankData& rank : run.ranks()) {
        if (rank.memory) ran.memory.push_back(*rank.memory);
        ran.bytesPerStep.push_back(rank.bytesPerStep);
    }
    if (ran.memory.size() != run.ranks().size()) ran.memory.clear();
    if (!run.trace()) return ran;
    ran.idleShare = measuredIdleShare(*run.trace(), meshOf(scene.config).pipeline);
    if (const TracedStep* step = typicalStep(*run.trace())) {
        ran.step = step->step;
        ran.range = passesTime(*step);
        for (const RankTrace& rank : step->ranks) ran.passes.push_back(passesOf(rank));
    }
    return ran;
}

}  // namespace ringside
