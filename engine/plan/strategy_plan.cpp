// SPDX-License-Identifier: Apache-2.0
#include "plan/strategy_plan.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "config/leaves.h"
#include "data/sets/common/dataset.h"
#include "plan/stage_plan.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

std::atomic<std::int64_t> madePlans{0};

// Returns the number of samples that each rank gets of `samples`, rounded up because the sampler pads.
std::int64_t shareOf(std::int64_t samples, std::int64_t ranks) {
    return (samples + ranks - 1) / ranks;
}

std::int64_t dataRanksOf(const RunConfig& config) {
    return std::max<std::int64_t>(1, meshOf(config).dataRanks());
}

// Returns the number of training samples per epoch of the rank with the most samples.
std::int64_t trainingShare(const PlanSubject& subject, std::int64_t ranks) {
    ShardSpec spec = epochSpec(subject.config, subject.trainingSamples, 0);
    spec.worldSize = ranks;
    // The batch size may be 0 or negative, because the window also plans experiments that the user is still editing.
    spec.batchSize = std::max<std::int64_t>(1, spec.batchSize);
    return shardNumbers(spec).samplesPerRank;
}

}  // namespace

std::int64_t PlanSubject::largestBatch() const {
    const std::int64_t ranks = dataRanksOf(config);
    const std::int64_t share =
        std::max({trainingShare(*this, ranks), shareOf(validationSamples, ranks), std::int64_t{1}});
    return std::min(config.loader.batchSize, share);
}

std::int64_t PlanSubject::samplesPerStep() const {
    const std::int64_t ranks = dataRanksOf(config);
    return std::min(config.loader.batchSize * config.training.accumulateSteps, shareOf(trainingSamples, ranks)) * ranks;
}

Result<PlanSubject> planSubject(const RunConfig& config, const DataSplit& data) {
    Result<ModelDescription> model = describeModel(config.model, *data.training);
    if (!model) return model.problem();
    return PlanSubject{.config = config,
                       .model = std::move(model).value(),
                       .interface = modelInterface(*data.training),
                       .isClassification = data.training->classCount() > 0,
                       .trainingSamples = data.training->size(),
                       .validationSamples = data.validation ? data.validation->size() : 0};
}

std::vector<std::size_t> StrategyPlan::stagesOf(int pipelineRank) const {
    std::vector<std::size_t> all;
    for (std::size_t stage = 0; stage < stages(); ++stage)
        if (rankOfStage[stage] == pipelineRank) all.push_back(stage);
    return all;
}

std::vector<TensorSize> StrategyPlan::parametersOf(std::size_t stage) const {
    std::vector<TensorSize> all;
    for (std::size_t layer = stageBegin[stage]; layer < stageBegin[stage + 1]; ++layer)
        all.insert(all.end(), layers[layer].parameters.begin(), layers[layer].parameters.end());
    return all;
}

bool StrategyPlan::hasBatchNorm() const {
    return std::ranges::any_of(layers, [](const BuiltLayer& layer) { return layer.buffers > 0; });
}

namespace {

bool isDropout(const BuiltLayer& layer) {
    const auto within = [](const std::vector<BuiltLayer>& layers) { return std::ranges::any_of(layers, isDropout); };
    const bool isOne = layer.kind == BuiltKind::kDescribed && layer.layer.kind == LayerKind::kDropout;
    return isOne || within(layer.body) || within(layer.shortcut) || within(layer.group);
}

bool isSkippedSometimes(const BuiltLayer& layer) {
    const bool isResidual = layer.kind == BuiltKind::kDescribed && layer.layer.kind == LayerKind::kResidual;
    return (isResidual && layer.layer.probability > 0) || std::ranges::any_of(layer.body, isSkippedSometimes) ||
           std::ranges::any_of(layer.group, isSkippedSometimes);
}

}  // namespace

bool StrategyPlan::hasDropout() const {
    return std::ranges::any_of(layers, isDropout);
}

bool StrategyPlan::skipsLayers() const {
    return std::ranges::any_of(layers, isSkippedSometimes);
}

namespace {

// Returns the number of gradient sums that are kept while the gradients of further micro-batches are computed. Gradient
// accumulation keeps one. training.reduction canonical adds the gradients of the leaves (fixed groups of samples) in a
// binary tree and keeps one sum for each level of the tree.
int keptLevels(const RunConfig& config, const StrategyPlan& plan) {
    if (plan.leaves > 0) return std::countr_zero(static_cast<std::uint64_t>(plan.leaves));
    return config.training.accumulateSteps * plan.microBatches > 1 ? 1 : 0;
}

ShardingChoice shardingOf(const RunConfig& config, const Mesh& mesh) {
    const bool isPipeline = mesh.pipeline > 1;
    return {.freesParameters = config.fsdp.shard == ShardedState::kParameters && !isPipeline,
            .keepsGradients = config.fsdp.shard == ShardedState::kOptimizer || isPipeline,
            .prefetches = config.fsdp.prefetch == Prefetch::kNext && config.training.recompute == Recompute::kNone};
}

std::optional<ShardUnit> unitOf(const RunConfig& config, const Mesh& mesh) {
    if (mesh.shard == 1) return std::nullopt;
    return mesh.pipeline > 1 ? ShardUnit::kBlock : config.fsdp.unit;
}

BucketLimits bucketLimitsOf(const ParallelConfig& config) {
    constexpr double kMebibyte = 1 << 20;
    return {static_cast<std::size_t>(config.firstBucketMb * kMebibyte),
            static_cast<std::size_t>(config.bucketCapMb * kMebibyte)};
}

// Cuts the layers into stages of about equal cost (BuiltLayer::cost), unless pipeline.split sets their sizes.
Result<bool> cutStages(const RunConfig& config, StrategyPlan& plan) {
    std::vector<double> costs;
    for (const BuiltLayer& layer : plan.layers) costs.push_back(layer.cost);
    const auto stages = static_cast<std::size_t>(plan.schedule.stageCount());
    const Result<std::vector<std::size_t>> sizes = stageSizes(config, costs, stages);
    if (!sizes) return sizes.problem();
    plan.stageBegin = {0};
    for (const std::size_t size : sizes.value()) plan.stageBegin.push_back(plan.stageBegin.back() + size);
    for (std::size_t stage = 0; stage < stages; ++stage)
        plan.rankOfStage.push_back(plan.schedule.rankOf(static_cast<int>(stage)));
    return true;
}

}  // namespace

Result<StrategyPlan> planStrategy(const PlanSubject& subject, bool channelBlocks) {
    ++madePlans;
    const RunConfig& config = subject.config;
    Result<Schedule> schedule = plannedSchedule(config);
    if (!schedule) return schedule.problem();
    StrategyPlan plan{.mesh = meshOf(config), .schedule = std::move(schedule).value()};
    plan.unit = unitOf(config, plan.mesh);
    plan.layers = buildLayers(subject.model, {.recompute = config.training.recompute,
                                              .channelBlocks = channelBlocks,
                                              .unit = plan.unit.value_or(ShardUnit::kWhole)});
    plan.leaves = isCanonical(config) ? leavesPerRank(config) : 0;
    if (config.parallel.strategy == StrategyKind::kDataParallel) plan.devices = devicesOf(config);
    // With training.reduction canonical, batch norm's statistics are averaged over all leaves (the fixed groups of
    // samples), but data_parallel keeps those of device 0 only.
    if (plan.devices > 0 && plan.leaves > 0 && plan.hasBatchNorm())
        return Problem{"training.reduction",
                       "is canonical, which averages batch norm's statistics over all samples, but data_parallel keeps "
                       "only the statistics of device 0",
                       "set parallel.strategy to ddp, or training.reduction to rank"};
    if (const Result<bool> cut = cutStages(config, plan); !cut) return cut.problem();
    plan.microBatches = microBatchesOf(config);
    plan.maxBatch = subject.largestBatch();
    const std::int64_t parts = plan.leaves > 0 ? plan.leaves : plan.microBatches;
    plan.microRows = std::min((config.loader.batchSize + parts - 1) / parts, plan.maxBatch);
    plan.keptLevels = keptLevels(config, plan);
    plan.sharding = shardingOf(config, plan.mesh);
    plan.buckets = bucketLimitsOf(config.parallel);
    return plan;
}

Result<StrategyPlan> planStrategy(const PlanSubject& subject) {
    return planStrategy(subject, takesChannelBlocks(subject.model));
}

std::int64_t plansMade() {
    return madePlans;
}

}  // namespace ringside
