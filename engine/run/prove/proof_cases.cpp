// SPDX-License-Identifier: Apache-2.0
#include "run/prove/proof_cases.h"

#include <algorithm>

#include "base/json/json_members.h"
#include "config/leaves.h"
#include "config/mesh.h"
#include "model/layer_list.h"
#include "run/prove/canonical_cases.h"

namespace ringside {

RunConfig withPlainDdp(const RunConfig& config, std::int64_t ranks) {
    RunConfig plain = config;
    plain.parallel.strategy = StrategyKind::kDdp;
    plain.parallel.worldSize = ranks;
    plain.parallel.device = DeviceChoice::kCpu;
    plain.parallel.backend = CollectiveBackend::kShm;
    plain.parallel.memoryLimitMb = 0;
    plain.mesh = {};
    plain.pipeline.split.clear();
    plain.pipeline.scheduleFile.clear();
    plain.pipeline.stagesPerRank = 1;
    plain.training.accumulateSteps = 1;
    plain.training.precision = TrainingPrecision::kFp32;
    plain.training.recompute = Recompute::kNone;
    plain.training.checkpointEvery = 0;
    plain.training.resume.clear();
    return plain;
}

void copyLearningRate(RunConfig& to, const RunConfig& from) {
    to.optimizer.lr = from.scaledLearningRate();
    to.optimizer.scaleLr = RateScaling::kNone;
}

namespace {

std::int64_t microBatchesFor(const RunConfig& config) {
    std::int64_t count = std::min(std::max<std::int64_t>(config.pipeline.microBatches, 1), config.loader.batchSize);
    while (config.loader.batchSize % count != 0) --count;
    return count;
}

// Returns the main reason why one rank with a large batch does not compute the same bits as several ranks with small
// batches.
std::string whyLargeBatchDiffers(const RunConfig& config, std::int64_t samples, std::int64_t steps) {
    if (config.model.dropout > 0 || listsLayer(config.model, LayerKind::kDropout))
        return "dropout: each data-parallel rank draws its own masks";
    if (hasBatchNorm(config.model)) return "batch norm: each rank normalises over its own samples";
    if (config.sampler.kind != SamplerKind::kDistributed)
        return "different samples: the sampler assigns other samples to a single rank than to several ranks";
    // A distributed sampler repeats samples only in the last step of an epoch.
    const bool isFilledUp = steps * config.loader.batchSize * config.parallel.worldSize > samples;
    if (isFilledUp && !config.sampler.dropLast)
        return "duplicate samples, which the sampler adds at the end of the epoch, and the order of addition";
    return "order of addition: each rank first adds over its own samples (training.reduction canonical does not)";
}

}  // namespace

std::vector<std::string> settingsLeftOut(const RunConfig& config) {
    const Json given = config.toJson();
    const Json kept = withPlainDdp(config, config.parallel.worldSize).toJson();
    std::vector<std::string> settings;
    for (const auto& [name, value] : given["training"].items()) {
        if (name != "checkpoint_every" && value != kept["training"][name])
            settings.push_back("training." + name + "=" + jsonText(value));
    }
    const CollectiveBackend backend = config.parallel.backend;
    if (backend != CollectiveBackend::kAuto && backend != CollectiveBackend::kShm)
        settings.push_back("parallel.backend=" + jsonText(given["parallel"]["backend"]));
    if (config.parallel.device == DeviceChoice::kCuda)
        settings.push_back("parallel.device=" + jsonText(given["parallel"]["device"]));
    return settings;
}

std::vector<ProofCase> proofCases(const RunConfig& config, std::int64_t steps, std::int64_t samples) {
    static_assert(kNamesOf<StrategyKind>.size() == 5, "add cases of the new strategy");
    if (isCanonical(config)) return canonicalCases(config, steps, samples);
    std::vector<ProofCase> cases;
    const std::int64_t ranks = config.parallel.worldSize;
    const std::int64_t batch = config.loader.batchSize;
    const auto within = [&](std::int64_t global) { return std::clamp<std::int64_t>(samples / global, 1, steps); };
    const auto add = [&cases](const std::string& name, RunConfig made, const std::string& reference) -> ProofCase& {
        made.name = name;
        return cases.emplace_back(ProofCase{name, std::move(made), reference});
    };

    RunConfig ddp = withPlainDdp(config, ranks);
    copyLearningRate(ddp, ddp);
    ddp.training.maxSteps = within(batch * ranks);
    add("ddp", ddp, "ddp");
    for (const ShardedState shard : {ShardedState::kOptimizer, ShardedState::kGradients, ShardedState::kParameters}) {
        RunConfig sharded = ddp;
        sharded.parallel.strategy = StrategyKind::kFsdp;
        sharded.fsdp.shard = shard;
        add(std::string("fsdp:").append(nameOf(shard)), sharded, "ddp");
    }
    if (ranks >= 4 && ranks % 2 == 0) {
        RunConfig hybrid = ddp;
        hybrid.parallel.strategy = StrategyKind::kFsdp;
        hybrid.mesh.replicate = 2;
        add("hsdp", hybrid, "ddp");
    }
    RunConfig again = ddp;
    again.training.recompute = Recompute::kAll;
    add("recompute", again, "ddp");

    RunConfig single = withPlainDdp(ddp, 1);
    single.training.maxSteps = within(batch);
    add("single", single, "single");
    RunConfig modelParallel = withPlainDdp(single, ranks);
    modelParallel.parallel.strategy = StrategyKind::kModelParallel;
    modelParallel.training.maxSteps = single.training.maxSteps;
    add("model_parallel", modelParallel, "single");

    if (ranks > 1) {  // a pipeline of one stage is plain training without micro-batches
        const std::int64_t microBatches = microBatchesFor(config);
        RunConfig accumulated = single;
        accumulated.loader.batchSize = batch / microBatches;
        accumulated.training.accumulateSteps = microBatches;
        add("accumulate", accumulated, "accumulate");
        for (const PipelineScheduleKind schedule :
             {PipelineScheduleKind::kGpipe, PipelineScheduleKind::k1F1B, PipelineScheduleKind::kInterleaved,
              PipelineScheduleKind::kZeroBubble}) {
            RunConfig pipeline = modelParallel;
            pipeline.parallel.strategy = StrategyKind::kPipeline;
            pipeline.pipeline.schedule = schedule;
            pipeline.pipeline.microBatches = microBatches;
            pipeline.pipeline.stagesPerRank = stagesPerRankFor(schedule, config);
            add(std::string("pipeline:").append(nameOf(schedule)), pipeline, "accumulate");
        }
    }

    RunConfig large = single;
    large.loader.batchSize = batch * ranks;
    large.training.maxSteps = ddp.training.maxSteps;
    ProofCase& last = add("large_batch", large, "ddp");
    last.mustBeEqual = ranks == 1;
    last.why = whyLargeBatchDiffers(config, samples, ddp.training.maxSteps);
    return cases;
}

}  // namespace ringside
