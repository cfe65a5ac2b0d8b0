// SPDX-License-Identifier: Apache-2.0
#include "run/prepared_run.h"

#include "data/dataset.h"
#include "sampling/shard_plan.h"

namespace ringside {
namespace {

Result<ShardPlan> firstEpochPlan(const RunConfig& config, std::int64_t samples) {
    ShardSpec spec;
    spec.datasetSize = samples;
    spec.worldSize = config.parallel.worldSize;
    spec.seed = config.sampler.seed;
    spec.shuffle = config.sampler.shuffle;
    spec.dropLast = config.sampler.dropLast;
    spec.batchSize = config.loader.batchSize;
    spec.loaderDropLast = config.loader.dropLast;
    return ShardPlan::make(spec);
}

Problem nothingToTrain(const ShardPlan& plan) {
    const ShardSpec& spec = plan.spec();
    const std::string samples = std::to_string(spec.datasetSize);
    if (plan.samplesPerRank() == 0) {
        return {"sampler.drop_last",
                "leaves every rank without a sample: " + samples + " samples over " + std::to_string(spec.worldSize) +
                    " ranks, rounded down",
                "use at most " + samples + " ranks, more data, or set sampler.drop_last to false"};
    }
    return {"loader.drop_last",
            "leaves no step: each rank has " + std::to_string(plan.samplesPerRank()) +
                " samples, fewer than batch_size " + std::to_string(spec.batchSize),
            "lower loader.batch_size or set loader.drop_last to false"};
}

void resolve(PreparedRun& run, const std::filesystem::path& baseDirectory) {
    DatasetConfig& dataset = run.config.dataset;
    if (!dataset.path.empty()) {
        dataset.path = std::filesystem::absolute(baseDirectory / dataset.path).lexically_normal().string();
    }
    run.compute = chooseCompute(run.config.parallel, findHostDevices());
    run.config.parallel.backend = run.compute.backend;
    run.config.parallel.device = run.compute.device;
}

}  // namespace

Result<PreparedRun> prepareRun(const RunConfig& config, const std::filesystem::path& baseDirectory, Problems* all) {
    const Problems problems = config.validateForTraining();
    if (all != nullptr) *all = problems;
    if (!problems.empty()) return problems.front();

    PreparedRun run;
    run.config = config;
    resolve(run, baseDirectory);
    const Result<DataSplit> data = loadDataset(run.config.dataset, baseDirectory);
    if (!data) return data.problem();
    run.trainingSamples = data.value().training->size();
    run.validationSamples = data.value().validation ? data.value().validation->size() : 0;

    const Result<ShardPlan> plan = firstEpochPlan(config, run.trainingSamples);
    if (!plan) return plan.problem();
    run.stepsPerEpoch = plan.value().stepsPerEpoch();
    if (run.stepsPerEpoch == 0) return nothingToTrain(plan.value());
    for (int rank = 0; rank < config.parallel.worldSize; ++rank) run.planHashes.push_back(plan.value().hash(rank));
    return run;
}

}  // namespace ringside
