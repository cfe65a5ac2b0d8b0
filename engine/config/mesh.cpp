// SPDX-License-Identifier: Apache-2.0
#include "config/mesh.h"

#include <algorithm>
#include <numeric>

#include "config/leaves.h"

namespace ringside {

namespace {

// Returns the size of the only dimension of the mesh that is not set: the world size divided by `others`, the product
// of the other sizes. Returns 1 if `others` does not divide the world size.
std::int64_t rest(std::int64_t world, std::int64_t others) {
    return others > 0 && world % others == 0 ? std::max<std::int64_t>(1, world / others) : 1;
}

// Returns the dimension of the mesh whose size follows from the world size and the other dimensions; null for a
// strategy without a mesh.
std::int64_t* filledBy(StrategyKind strategy, Mesh& mesh) {
    switch (strategy) {
        case StrategyKind::kDdp:
            return &mesh.replicate;
        case StrategyKind::kFsdp:
            return &mesh.shard;
        case StrategyKind::kModelParallel:
        case StrategyKind::kPipeline:
            return &mesh.pipeline;
        case StrategyKind::kDataParallel:
            break;
    }
    return nullptr;
}

}  // namespace

std::string Mesh::text() const {
    return std::to_string(replicate) + " x " + std::to_string(shard) + " x " + std::to_string(pipeline) +
           " (replicate x shard x pipeline)";
}

std::int64_t devicesOf(const RunConfig& config) {
    const ParallelConfig& parallel = config.parallel;
    if (parallel.strategy != StrategyKind::kDataParallel) return 1;
    return parallel.devices > 0 ? parallel.devices : parallel.worldSize;
}

RunConfig withProcessesAsRanks(RunConfig config) {
    if (config.parallel.strategy != StrategyKind::kDataParallel) return config;
    config.parallel.devices = devicesOf(config);
    config.parallel.worldSize = 1;
    return config;
}

Mesh meshOf(const RunConfig& config) {
    const std::int64_t world = config.parallel.worldSize;
    const MeshConfig& given = config.mesh;
    Mesh mesh{given.replicate, given.shard, given.pipeline};
    std::int64_t* const filled = filledBy(config.parallel.strategy, mesh);
    if (filled == nullptr) return {};  // data_parallel has no mesh: one process reads the samples of all devices
    for (std::int64_t* one : {&mesh.replicate, &mesh.shard, &mesh.pipeline})
        if (*one == 0 && one != filled) *one = 1;
    if (*filled == 0)
        *filled = rest(world, std::max<std::int64_t>(1, mesh.replicate) * std::max<std::int64_t>(1, mesh.shard) *
                                  std::max<std::int64_t>(1, mesh.pipeline));
    return mesh;
}

namespace {

// True if a batch passes through the stages as a whole and not in micro-batches.
bool passesWholeBatches(StrategyKind strategy) {
    switch (strategy) {
        case StrategyKind::kModelParallel:
            return true;
        case StrategyKind::kDdp:
        case StrategyKind::kDataParallel:
        case StrategyKind::kFsdp:
        case StrategyKind::kPipeline:
            return false;
    }
    return false;
}

}  // namespace

std::int64_t microBatchesOf(const RunConfig& config) {
    if (passesWholeBatches(config.parallel.strategy) || meshOf(config).pipeline == 1) return 1;
    return config.pipeline.microBatches;
}

std::int64_t stagesPerRank(const RunConfig& config) {
    return passesWholeBatches(config.parallel.strategy) ? 1 : config.pipeline.stagesPerRank;
}

std::int64_t stagesPerRankFor(PipelineScheduleKind schedule, const RunConfig& config) {
    if (schedule == PipelineScheduleKind::kInterleaved) return std::max<std::int64_t>(2, config.pipeline.stagesPerRank);
    return schedule == PipelineScheduleKind::kZeroBubble ? config.pipeline.stagesPerRank : 1;
}

namespace {

// Returns the minimum number of micro-batches: 1F1B needs one for each pipeline rank.
std::int64_t minMicroBatches(const RunConfig& config) {
    const bool fills =
        config.parallel.strategy == StrategyKind::kPipeline && config.pipeline.schedule == PipelineScheduleKind::k1F1B;
    return fills && config.pipeline.scheduleFile.empty() ? meshOf(config).pipeline : 1;
}

// Returns the beginning of a remedy for the number of micro-batches: "use 4 or 8, or " with the divisors of the batch
// size that are nearest to `wanted`; empty if there are none.
std::string divisorsNear(std::int64_t batch, std::int64_t wanted, std::int64_t least) {
    std::int64_t below = std::min(wanted, batch);
    while (below > 1 && batch % below != 0) --below;
    std::int64_t above = std::max(wanted, least);
    while (above < batch && batch % above != 0) ++above;
    const std::string second = above <= batch && above != below ? std::to_string(above) : "";
    if (below < least) return second.empty() ? "" : "use " + second + ", or ";
    return "use " + std::to_string(below) + (second.empty() ? "" : " or " + second) + ", or ";
}

void checkMicroBatches(const RunConfig& config, Problems& problems) {
    if (isCanonical(config))
        return;  // with training.reduction canonical, micro-batches are the parts of the batch that
                 // checkCanonicalReduction() checks
    const std::int64_t microBatches = microBatchesOf(config);
    const std::int64_t batch = config.loader.batchSize;
    if (batch % microBatches == 0) return;
    problems.push_back({"pipeline.micro_batches",
                        "is " + std::to_string(microBatches) + ", which does not divide loader.batch_size " +
                            std::to_string(batch) + ": micro-batches must have equal sizes",
                        divisorsNear(batch, microBatches, minMicroBatches(config)) + "a loader.batch_size of " +
                            std::to_string((batch + microBatches - 1) / microBatches * microBatches)});
}

void checkStages(const RunConfig& config, const Mesh& mesh, Problems& problems) {
    const PipelineConfig& pipeline = config.pipeline;
    if (!pipeline.scheduleFile.empty() && config.parallel.strategy == StrategyKind::kPipeline)
        return;  // the schedule file determines the stages
    const std::int64_t stages = mesh.pipeline * stagesPerRank(config);
    const bool oneStage =
        pipeline.schedule == PipelineScheduleKind::kGpipe || pipeline.schedule == PipelineScheduleKind::k1F1B;
    if (config.parallel.strategy != StrategyKind::kModelParallel && oneStage && pipeline.stagesPerRank > 1)
        problems.push_back({"pipeline.stages_per_rank",
                            "is " + std::to_string(pipeline.stagesPerRank) + ", but " + textOf(pipeline.schedule) +
                                " has one stage on each rank",
                            "set pipeline.stages_per_rank to 1, or pipeline.schedule to interleaved"});
    if (!pipeline.split.empty() && static_cast<std::int64_t>(pipeline.split.size()) != stages)
        problems.push_back(
            {"pipeline.split",
             "has " + std::to_string(pipeline.split.size()) + " entries for " + std::to_string(stages) + " stages",
             "set one number of layers for each stage, or leave the list empty"});
    const std::int64_t perBatch = microBatchesOf(config);
    if (config.parallel.strategy == StrategyKind::kModelParallel) return;
    if (pipeline.schedule == PipelineScheduleKind::k1F1B && perBatch < mesh.pipeline)
        problems.push_back({"pipeline.micro_batches",
                            "is " + std::to_string(perBatch) + ", but 1f1b on " + std::to_string(mesh.pipeline) +
                                " stages needs at least one micro-batch for each stage",
                            "use " + std::to_string(mesh.pipeline) + " or more, or gpipe"});
    const std::int64_t rounds = std::max<std::int64_t>(1, perBatch / mesh.pipeline);
    if (!oneStage && perBatch % rounds != 0)
        problems.push_back({"pipeline.micro_batches",
                            "is " + std::to_string(perBatch) + ", which " + textOf(pipeline.schedule) +
                                " cannot split into " + std::to_string(rounds) + " equal rounds on " +
                                std::to_string(mesh.pipeline) + " ranks",
                            "use " + std::to_string(perBatch / rounds * rounds) + " or " +
                                std::to_string((perBatch / rounds + 1) * rounds)});
}

void checkDevices(const RunConfig& config, Problems& problems) {
    const ParallelConfig& parallel = config.parallel;
    if (config.mesh != MeshConfig{} && config.mesh != MeshConfig{1, 1, 1})
        problems.push_back({"mesh", "is set, but data_parallel is one process and has no mesh of ranks",
                            "set the three numbers of mesh to 0, or parallel.strategy to ddp"});
    if (config.training.precision != TrainingPrecision::kFp32)
        problems.push_back({"parallel.strategy", "is data_parallel, which computes only in fp32 for now",
                            "set training.precision to fp32, or use ddp"});
    if (parallel.device == DeviceChoice::kCuda && isCanonical(config))
        problems.push_back({"training.reduction", "is canonical, which data_parallel supports only on CPUs",
                            "set parallel.device to cpu, or use ddp"});
}

// Checks that the strategy can use each dimension of the mesh.
void checkDimensions(StrategyKind strategy, const Mesh& mesh, Problems& problems) {
    switch (strategy) {
        case StrategyKind::kDdp:
            if (mesh.shard > 1 || mesh.pipeline > 1)
                problems.push_back(
                    {"parallel.strategy", "is ddp, but the mesh is " + mesh.text(),
                     mesh.pipeline > 1 ? "set parallel.strategy to pipeline" : "set parallel.strategy to fsdp"});
            break;
        case StrategyKind::kFsdp:
            if (mesh.pipeline > 1)
                problems.push_back({"parallel.strategy",
                                    "is fsdp, but the mesh has " + std::to_string(mesh.pipeline) + " pipeline ranks",
                                    "set parallel.strategy to pipeline, whose stages are sharded by mesh.shard"});
            break;
        case StrategyKind::kDataParallel:  // checkDevices() checks this strategy
        case StrategyKind::kModelParallel:
        case StrategyKind::kPipeline:
            break;
    }
}

void checkOffload(const RunConfig& config, Problems& problems) {
    if (config.fsdp.cpuOffload && config.parallel.device == DeviceChoice::kCuda && meshOf(config).shard > 1)
        problems.push_back({"fsdp.cpu_offload",
                            "is true, which is supported only on CPUs for now, but parallel.device is cuda",
                            "set fsdp.cpu_offload to false, or parallel.device to cpu"});
}

void checkUnused(const RunConfig& config, Problems& problems) {
    if (config.parallel.findUnusedParameters && config.parallel.strategy != StrategyKind::kDdp)
        problems.push_back({"parallel.find_unused_parameters",
                            "is true, which only ddp supports: under " + textOf(config.parallel.strategy) +
                                " missing gradients are zero in any case",
                            "set parallel.find_unused_parameters to false, or parallel.strategy to ddp"});
}

}  // namespace

void checkMesh(const RunConfig& config, Problems& problems) {
    checkUnused(config, problems);
    checkOffload(config, problems);
    if (config.parallel.strategy == StrategyKind::kDataParallel) {
        checkDevices(config, problems);
        return checkCanonicalReduction(config, problems);
    }
    const Mesh mesh = meshOf(config);
    const std::int64_t world = config.parallel.worldSize;
    if (mesh.ranks() != world) {
        problems.push_back({"mesh",
                            "is " + mesh.text() + ", that is " + std::to_string(mesh.ranks()) +
                                " ranks, but parallel.world_size is " + std::to_string(world),
                            "set parallel.world_size to " + std::to_string(mesh.ranks()) +
                                ", or set one of the three numbers of mesh to 0, so that it is derived"});
        return;
    }
    checkDimensions(config.parallel.strategy, mesh, problems);
    if (config.training.precision != TrainingPrecision::kFp32 && mesh.dataRanks() * mesh.pipeline != mesh.replicate)
        problems.push_back({"training.precision",
                            "is " + textOf(config.training.precision) + ", which only ddp supports",
                            "set training.precision to fp32, or parallel.strategy to ddp"});
    checkMicroBatches(config, problems);
    checkCanonicalReduction(config, problems);
    if (mesh.pipeline > 1) checkStages(config, mesh, problems);
}

}  // namespace ringside
