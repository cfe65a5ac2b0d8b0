// SPDX-License-Identifier: Apache-2.0
#include "cost/cost_subject.h"

#include <algorithm>

#include "config/leaves.h"
#include "cost/stage_plan.h"
#include "data/sets/common/dataset.h"

namespace ringside {
namespace {

// Returns a rank's share of the samples, rounded up because the sampler pads.
std::int64_t shareOf(std::int64_t samples, std::int64_t ranks) {
    return (samples + ranks - 1) / ranks;
}

}  // namespace

std::int64_t CostSubject::largestBatch() const {
    const std::int64_t ranks = std::max<std::int64_t>(1, meshOf(config).dataRanks());
    const std::int64_t share =
        std::max({shareOf(trainingSamples, ranks), shareOf(validationSamples, ranks), std::int64_t{1}});
    return std::min(config.loader.batchSize, share);
}

std::int64_t CostSubject::samplesPerStep() const {
    const std::int64_t ranks = std::max<std::int64_t>(1, meshOf(config).dataRanks());
    return std::min(config.loader.batchSize * config.training.accumulateSteps, shareOf(trainingSamples, ranks)) * ranks;
}

Result<CostSubject> costSubject(const RunConfig& config, const DataSplit& data) {
    Result<ModelDescription> model = describeModel(config.model, *data.training);
    if (!model) return model.problem();
    return CostSubject{.config = config,
                       .model = std::move(model).value(),
                       .task = modelTask(*data.training),
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

namespace {

// True if batch norm statistics would be wrong: a canonical reduction averages them over all leaves, but data_parallel
// keeps those of the first device only.
bool losesStatistics(const RunConfig& config, const std::vector<BuiltLayer>& layers) {
    return config.parallel.strategy == StrategyKind::kDataParallel && isCanonical(config) &&
           std::ranges::any_of(layers, [](const BuiltLayer& layer) { return layer.buffers > 0; });
}

}  // namespace

Result<StrategyPlan> planStrategy(const CostSubject& subject) {
    const RunConfig& config = subject.config;
    Result<Schedule> schedule = plannedSchedule(config);
    if (!schedule) return schedule.problem();
    StrategyPlan plan{.mesh = meshOf(config), .schedule = std::move(schedule).value()};
    plan.layers = buildLayers(
        subject.model, {.recompute = config.training.recompute, .channelBlocks = takesChannelBlocks(subject.model)});
    if (losesStatistics(config, plan.layers))
        return Problem{"training.reduction",
                       "is canonical, but under data_parallel batch norm's statistics are those of device 0's chunk",
                       "use ddp, whose leaves' statistics are averaged, or set it to rank"};
    std::vector<double> costs;
    for (const BuiltLayer& layer : plan.layers) costs.push_back(layer.cost);
    const auto stages = static_cast<std::size_t>(plan.schedule.stageCount());
    const Result<std::vector<std::size_t>> sizes = stageSizes(config, costs, stages);
    if (!sizes) return sizes.problem();
    plan.stageBegin = {0};
    for (const std::size_t size : sizes.value()) plan.stageBegin.push_back(plan.stageBegin.back() + size);
    for (std::size_t stage = 0; stage < stages; ++stage)
        plan.rankOfStage.push_back(plan.schedule.rankOf(static_cast<int>(stage)));
    plan.microBatches = microBatchesOf(config);
    plan.leaves = isCanonical(config) ? leavesPerRank(config) : 0;
    if (config.parallel.strategy == StrategyKind::kDataParallel) plan.devices = devicesOf(config);
    const std::int64_t parts = plan.leaves > 0 ? plan.leaves : plan.microBatches;
    const std::int64_t rows = (config.loader.batchSize + parts - 1) / parts;
    plan.microRows = std::min(rows, subject.largestBatch());
    return plan;
}

}  // namespace ringside
