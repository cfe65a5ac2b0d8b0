// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/form_fields.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace ringside {
namespace {

bool isCsv(const RunConfig& c) {
    return c.dataset.kind == DatasetKind::kCsv;
}
bool isFile(const RunConfig& c) {
    return c.dataset.kind != DatasetKind::kDigits && c.dataset.kind != DatasetKind::kSynthetic;
}
bool isArray(const RunConfig& c) {
    return c.dataset.kind == DatasetKind::kIdx || c.dataset.kind == DatasetKind::kNpy;
}
bool isSynthetic(const RunConfig& c) {
    return c.dataset.kind == DatasetKind::kSynthetic;
}
bool hasShape(const RunConfig& c, std::initializer_list<SyntheticShape> shapes) {
    return isSynthetic(c) && std::find(shapes.begin(), shapes.end(), c.dataset.shape) != shapes.end();
}
bool hasSize(const RunConfig& c) {
    return isSynthetic(c) && c.dataset.shape != SyntheticShape::kImagenet;
}
bool hasFeatures(const RunConfig& c) {
    return hasShape(c, {SyntheticShape::kRegression, SyntheticShape::kBlobs, SyntheticShape::kImbalanced});
}
bool hasTargets(const RunConfig& c) {
    return hasShape(c, {SyntheticShape::kRegression});
}
bool hasClasses(const RunConfig& c) {
    return hasShape(c, {SyntheticShape::kBlobs, SyntheticShape::kSpirals, SyntheticShape::kImbalanced});
}
bool hasImageSize(const RunConfig& c) {
    return c.dataset.kind == DatasetKind::kImageFolder || hasShape(c, {SyntheticShape::kImagenet});
}
bool isSampler(const RunConfig& c, std::initializer_list<SamplerKind> kinds) {
    return std::find(kinds.begin(), kinds.end(), c.sampler.kind) != kinds.end();
}
bool drawsAgain(const RunConfig& c) {
    return isSampler(c, {SamplerKind::kWeighted, SamplerKind::kDistributedWeighted, SamplerKind::kClassBalanced});
}
bool hasWeights(const RunConfig& c) {
    return isSampler(c, {SamplerKind::kWeighted, SamplerKind::kDistributedWeighted});
}
bool isSubset(const RunConfig& c) {
    return isSampler(c, {SamplerKind::kSubset});
}
// True if the form shows the settings that need loader workers: if there are workers, or if one of these settings
// differs from its default. Without workers such a setting is an error, which the user must see.
bool hasWorkers(const RunConfig& c) {
    return c.loader.numWorkers > 0 || c.loader.persistentWorkers ||
           c.loader.prefetchFactor != LoaderConfig().prefetchFactor;
}
// True if the form shows the image transforms: if the data may be images, or if a transform is on. For other data such
// a transform is an error, which the user must see.
bool mayHaveImages(const RunConfig& c) {
    const LoaderConfig& loader = c.loader;
    return !(isCsv(c) || hasSize(c)) || loader.randomCropPadding > 0 || loader.horizontalFlip || loader.normalize;
}
bool isDistributed(const RunConfig& c) {
    return isSampler(c, {SamplerKind::kDistributed}) || c.pitfalls.any();
}
bool isMlp(const RunConfig& c) {
    return c.model.kind == ModelKind::kMlp;
}

bool isText(const RunConfig& c) {
    return c.dataset.kind == DatasetKind::kText;
}
bool isTransformer(const RunConfig& c) {
    return c.model.kind == ModelKind::kTransformer;
}
bool hasDepth(const RunConfig& c) {
    return isTransformer(c) || c.model.kind == ModelKind::kResidualCnn;
}
bool isLayerList(const RunConfig& c) {
    return c.model.kind == ModelKind::kLayers;
}
bool mayConvolve(const RunConfig& c) {
    return isLayerList(c) || c.model.kind == ModelKind::kSimpleCnn || c.model.kind == ModelKind::kResidualCnn;
}
bool isPipelineOfParts(const RunConfig& c) {
    return c.parallel.strategy == StrategyKind::kPipeline;
}
bool isDdp(const RunConfig& c) {
    return c.parallel.strategy == StrategyKind::kDdp;
}
bool isOnDevices(const RunConfig& c) {
    return c.parallel.strategy == StrategyKind::kDataParallel;
}
bool isCanonicalSum(const RunConfig& c) {
    return c.training.reduction == ReductionOrder::kCanonical;
}
// True if the pipeline uses one of the named schedules, and not a schedule file.
bool hasNamedSchedule(const RunConfig& c) {
    return isPipelineOfParts(c) && c.pipeline.scheduleFile.empty();
}
bool isPipeline(const RunConfig& c) {
    return isPipelineOfParts(c) || c.parallel.strategy == StrategyKind::kModelParallel;
}
bool isSharded(const RunConfig& c) {
    return c.parallel.strategy == StrategyKind::kFsdp;
}
bool hasMesh(const RunConfig& c) {
    switch (c.parallel.strategy) {
        case StrategyKind::kModelParallel:
        case StrategyKind::kPipeline:
        case StrategyKind::kFsdp:
            return true;
        case StrategyKind::kDdp:
        case StrategyKind::kDataParallel:
            break;
    }
    return c.mesh != MeshConfig();
}
bool mayUseGpus(const RunConfig& c) {
    return c.parallel.device != DeviceChoice::kCpu;
}
bool isAdam(const RunConfig& c) {
    switch (c.optimizer.kind) {
        case OptimizerKind::kSgd:
            return false;
        case OptimizerKind::kAdam:
        case OptimizerKind::kAdamW:
            return true;
    }
    return false;
}
bool isSgd(const RunConfig& c) {
    return !isAdam(c);
}
bool scalesRate(const RunConfig& c) {
    return c.optimizer.scaleLr != RateScaling::kNone;
}
bool isStepSchedule(const RunConfig& c) {
    return c.schedule.kind == RateScheduleKind::kStep;
}
bool isCosine(const RunConfig& c) {
    return c.schedule.kind == RateScheduleKind::kCosine;
}
bool warmsUp(const RunConfig& c) {
    return c.schedule.warmupEpochs > 0;
}

using enum FormSectionId;

constexpr std::array kFields = {
    FormField{Data, "dataset.kind", "dataset", QT_TRANSLATE_NOOP("form", "Data set")},
    FormField{Data, "dataset.path", "dataPath", QT_TRANSLATE_NOOP("form", "File"), false, isFile},
    FormField{Data, "dataset.labels_path", "labelsPath", QT_TRANSLATE_NOOP("form", "Labels file"), false, isArray},
    FormField{Data, "dataset.shape", "dataShape", QT_TRANSLATE_NOOP("form", "Kind of synthetic data"), false,
              isSynthetic},
    FormField{Data, "dataset.label_column", "labelColumn", QT_TRANSLATE_NOOP("form", "Label column"), false, isCsv},
    FormField{Data, "dataset.missing", "missing", QT_TRANSLATE_NOOP("form", "Missing values"), false, isCsv},
    FormField{Data, "dataset.header", "header", QT_TRANSLATE_NOOP("form", "First line is a header"), true, isCsv},
    FormField{Data, "dataset.size", "dataSize", QT_TRANSLATE_NOOP("form", "Samples including validation"), false,
              hasSize},
    FormField{Data, "dataset.classes", "classes", QT_TRANSLATE_NOOP("form", "Classes"), false, hasClasses},
    FormField{Data, "dataset.image_size", "imageSize", QT_TRANSLATE_NOOP("form", "Image size"), false, hasImageSize},
    FormField{Data, "dataset.context_length", "contextLength", QT_TRANSLATE_NOOP("form", "Context length"), false,
              isText},
    FormField{Data, "dataset.features", "features", QT_TRANSLATE_NOOP("form", "Features"), false, hasFeatures},
    FormField{Data, "dataset.targets", "targets", QT_TRANSLATE_NOOP("form", "Targets"), false, hasTargets},
    FormField{Data, "dataset.seed", "dataSeed", QT_TRANSLATE_NOOP("form", "Seed of synthetic data"), true, isSynthetic},
    FormField{Data, "dataset.validation_fraction", "validationFraction",
              QT_TRANSLATE_NOOP("form", "Validation fraction"), true},
    FormField{Data, "dataset.split_seed", "splitSeed", QT_TRANSLATE_NOOP("form", "Seed of validation split"), true},

    FormField{Model, "model.kind", "model", QT_TRANSLATE_NOOP("form", "Model")},
    FormField{Model, "model.hidden", "hidden", QT_TRANSLATE_NOOP("form", "Hidden widths"), false, isMlp},
    FormField{Model, "model.width", "width", QT_TRANSLATE_NOOP("form", "Width"), false, hasDepth},
    FormField{Model, "model.depth", "depth", QT_TRANSLATE_NOOP("form", "Blocks"), false, hasDepth},
    FormField{Model, "model.heads", "heads", QT_TRANSLATE_NOOP("form", "Heads"), false, isTransformer},
    FormField{Model, "model.dropout", "dropout", QT_TRANSLATE_NOOP("form", "Dropout"), false, isTransformer},
    FormField{Model, "model.layers", "layers", QT_TRANSLATE_NOOP("form", "Layers"), false, isLayerList},
    FormField{Model, "training.seed", "trainingSeed", QT_TRANSLATE_NOOP("form", "Seed of initial weights"), true},
    FormField{Model, "training.loss", "loss", QT_TRANSLATE_NOOP("form", "Loss"), true},

    FormField{Parallel, "parallel.world_size", "worldSize", QT_TRANSLATE_NOOP("form", "World size")},
    FormField{Parallel, "parallel.strategy", "strategy", QT_TRANSLATE_NOOP("form", "Strategy")},
    FormField{Parallel, "pipeline.schedule", "pipelineSchedule", QT_TRANSLATE_NOOP("form", "Pipeline schedule"), false,
              hasNamedSchedule},
    FormField{Parallel, "pipeline.micro_batches", "microBatches", QT_TRANSLATE_NOOP("form", "Micro-batches"), false,
              isPipelineOfParts},
    FormField{Parallel, "pipeline.stages_per_rank", "stagesPerRank", QT_TRANSLATE_NOOP("form", "Stages per rank"), true,
              isPipelineOfParts},
    FormField{Parallel, "pipeline.schedule_file", "scheduleFile", QT_TRANSLATE_NOOP("form", "Schedule file"), true,
              isPipelineOfParts},
    FormField{Parallel, "pipeline.split", "pipelineSplit", QT_TRANSLATE_NOOP("form", "Layers of each stage"), true,
              isPipeline},
    FormField{Parallel, "fsdp.shard", "fsdpShard", QT_TRANSLATE_NOOP("form", "Sharded"), false, isSharded},
    FormField{Parallel, "fsdp.unit", "fsdpUnit", QT_TRANSLATE_NOOP("form", "Layers gathered at a time"), true,
              isSharded},
    FormField{Parallel, "fsdp.prefetch", "fsdpPrefetch", QT_TRANSLATE_NOOP("form", "Prefetch"), true, isSharded},
    FormField{Parallel, "fsdp.cpu_offload", "fsdpCpuOffload", QT_TRANSLATE_NOOP("form", "Keep shards in CPU memory"),
              true, isSharded},
    FormField{Parallel, "parallel.devices", "devices", QT_TRANSLATE_NOOP("form", "Devices"), true, isOnDevices},
    FormField{Parallel, "parallel.find_unused_parameters", "findUnusedParameters",
              QT_TRANSLATE_NOOP("form", "Find unused parameters"), true, isDdp},
    FormField{Parallel, "mesh.replicate", "meshReplicate", QT_TRANSLATE_NOOP("form", "Replicas"), true, hasMesh},
    FormField{Parallel, "mesh.shard", "meshShard", QT_TRANSLATE_NOOP("form", "Ranks per shard group"), true, hasMesh},
    FormField{Parallel, "mesh.pipeline", "meshPipeline", QT_TRANSLATE_NOOP("form", "Pipeline ranks"), true, hasMesh},
    FormField{Parallel, "parallel.backend", "backend", QT_TRANSLATE_NOOP("form", "Backend")},
    FormField{Parallel, "parallel.device", "device", QT_TRANSLATE_NOOP("form", "Device"), true},
    FormField{Parallel, "parallel.threads_per_rank", "threadsPerRank",
              QT_TRANSLATE_NOOP("form", "Compute threads per rank"), true},
    FormField{Parallel, "parallel.memory_limit_mb", "memoryLimit",
              QT_TRANSLATE_NOOP("form", "Memory limit per rank, MiB"), true},
    FormField{Parallel, "parallel.share_gpu", "shareGpu", QT_TRANSLATE_NOOP("form", "Let ranks share GPUs"), true,
              mayUseGpus},
    FormField{Parallel, "parallel.bucket_cap_mb", "bucketCap", QT_TRANSLATE_NOOP("form", "Gradient bucket, MiB"), true},
    FormField{Parallel, "parallel.first_bucket_mb", "firstBucket",
              QT_TRANSLATE_NOOP("form", "First gradient bucket, MiB"), true},
    FormField{Parallel, "parallel.timeout_seconds", "timeout", QT_TRANSLATE_NOOP("form", "Rank timeout, seconds"),
              true},
    FormField{Parallel, "parallel.interface", "interface", QT_TRANSLATE_NOOP("form", "Network interface"), true},
    FormField{Parallel, "parallel.pace.gflops", "paceGflops",
              QT_TRANSLATE_NOOP("form", "Throttled compute speed, GFLOP/s"), true},
    FormField{Parallel, "parallel.pace.gbit_per_s", "paceGbit",
              QT_TRANSLATE_NOOP("form", "Throttled link speed, Gbit/s"), true},
    FormField{Parallel, "parallel.pace.latency_us", "paceLatency",
              QT_TRANSLATE_NOOP("form", "Throttled link latency, \u00b5s"), true},
    FormField{Parallel, "parallel.max_restarts", "maxRestarts", QT_TRANSLATE_NOOP("form", "Maximum restarts"), true},
    FormField{Parallel, "parallel.min_ranks", "minRanks", QT_TRANSLATE_NOOP("form", "Minimum ranks"), true},

    FormField{Loading, "loader.batch_size", "batchSize", QT_TRANSLATE_NOOP("form", "Batch size per rank")},
    FormField{Loading, "sampler.kind", "sampler", QT_TRANSLATE_NOOP("form", "Sampler")},
    FormField{Loading, "sampler.num_samples", "numSamples", QT_TRANSLATE_NOOP("form", "Samples drawn per epoch"), false,
              drawsAgain},
    FormField{Loading, "sampler.class_weights", "classWeights", QT_TRANSLATE_NOOP("form", "Class weights"), false,
              hasWeights},
    FormField{Loading, "sampler.subset_fraction", "subsetFraction", QT_TRANSLATE_NOOP("form", "Subset fraction"), false,
              isSubset},
    FormField{Loading, "sampler.subset_seed", "subsetSeed", QT_TRANSLATE_NOOP("form", "Subset seed"), false, isSubset},
    FormField{Loading, "sampler.subset_indices", "subsetIndices", QT_TRANSLATE_NOOP("form", "Sample indices"), false,
              isSubset},
    FormField{Loading, "sampler.shuffle", "shuffle", QT_TRANSLATE_NOOP("form", "Shuffle")},
    FormField{Loading, "sampler.set_epoch", "setEpoch", QT_TRANSLATE_NOOP("form", "set_epoch"), false, nullptr, true},
    FormField{Loading, "sampler.drop_last", "samplerDropLast", QT_TRANSLATE_NOOP("form", "drop_last (sampler)"), false,
              nullptr, false, QT_TRANSLATE_NOOP("form", "sampler"), QT_TRANSLATE_NOOP("form", "drop_last")},
    FormField{Loading, "loader.drop_last", "loaderDropLast", QT_TRANSLATE_NOOP("form", "drop_last (loader)"), false,
              nullptr, true, QT_TRANSLATE_NOOP("form", "loader")},
    FormField{Loading, "sampler.seed", "samplerSeed", QT_TRANSLATE_NOOP("form", "Shuffle seed"), true},
    FormField{Loading, "loader.num_workers", "numWorkers", QT_TRANSLATE_NOOP("form", "Worker threads"), true},
    FormField{Loading, "loader.prefetch_factor", "prefetchFactor", QT_TRANSLATE_NOOP("form", "Prefetch, batches"), true,
              hasWorkers},
    FormField{Loading, "loader.persistent_workers", "persistentWorkers",
              QT_TRANSLATE_NOOP("form", "Persistent workers"), true, hasWorkers},
    FormField{Loading, "loader.pin_memory", "pinMemory", QT_TRANSLATE_NOOP("form", "Pinned memory"), true},
    FormField{Loading, "loader.random_crop_padding", "randomCropPadding",
              QT_TRANSLATE_NOOP("form", "Random crop padding, pixels"), true, mayHaveImages},
    FormField{Loading, "loader.horizontal_flip", "horizontalFlip", QT_TRANSLATE_NOOP("form", "Random horizontal flip"),
              true, mayHaveImages},
    FormField{Loading, "loader.normalize", "normalize", QT_TRANSLATE_NOOP("form", "Normalize"), true, mayHaveImages},
    FormField{Loading, "pitfalls.seed_per_rank", "seedPerRank", QT_TRANSLATE_NOOP("form", "Mistake: seed per rank"),
              true, isDistributed},
    FormField{Loading, "pitfalls.double_sharding", "doubleSharding",
              QT_TRANSLATE_NOOP("form", "Mistake: sharded twice"), true, isDistributed},
    FormField{Loading, "pitfalls.wrong_rank", "wrongRank", QT_TRANSLATE_NOOP("form", "Mistake: hard-coded rank"), true,
              isDistributed},
    FormField{Loading, "pitfalls.wrong_world_size", "wrongWorldSize",
              QT_TRANSLATE_NOOP("form", "Mistake: hard-coded world size"), true, isDistributed},
    FormField{Loading, "pitfalls.shuffle_with_sampler", "shuffleWithSampler",
              QT_TRANSLATE_NOOP("form", "Mistake: also shuffle=True"), true, isDistributed},
    FormField{Loading, "pitfalls.slow_rank", "slowRank", QT_TRANSLATE_NOOP("form", "Mistake: number of the slow rank"),
              true},
    FormField{Loading, "pitfalls.slow_phase", "slowPhase", QT_TRANSLATE_NOOP("form", "Delayed phase of slow rank"),
              true},
    FormField{Loading, "pitfalls.slow_ms", "slowMs", QT_TRANSLATE_NOOP("form", "Delay of slow rank per step, ms"),
              true},
    FormField{Loading, "pitfalls.early_exit", "earlyExit", QT_TRANSLATE_NOOP("form", "Mistake: last rank stops early"),
              true},
    FormField{Loading, "pitfalls.sum_gradients", "sumGradients", QT_TRANSLATE_NOOP("form", "Mistake: summed gradients"),
              true},
    FormField{Loading, "pitfalls.local_metrics", "localMetrics", QT_TRANSLATE_NOOP("form", "Mistake: metrics per rank"),
              true},

    FormField{Optimisation, "optimizer.kind", "optimizer", QT_TRANSLATE_NOOP("form", "Optimizer")},
    FormField{Optimisation, "optimizer.lr", "learningRate", QT_TRANSLATE_NOOP("form", "Learning rate")},
    FormField{Optimisation, "training.epochs", "epochs", QT_TRANSLATE_NOOP("form", "Epochs")},
    FormField{Optimisation, "optimizer.momentum", "momentum", QT_TRANSLATE_NOOP("form", "Momentum"), true, isSgd},
    FormField{Optimisation, "optimizer.weight_decay", "weightDecay", QT_TRANSLATE_NOOP("form", "Weight decay"), true},
    FormField{Optimisation, "optimizer.dampening", "dampening", QT_TRANSLATE_NOOP("form", "Dampening"), true, isSgd},
    FormField{Optimisation, "optimizer.nesterov", "nesterov", QT_TRANSLATE_NOOP("form", "Nesterov"), true, isSgd},
    FormField{Optimisation, "optimizer.beta1", "beta1", QT_TRANSLATE_NOOP("form", "Beta 1"), true, isAdam},
    FormField{Optimisation, "optimizer.beta2", "beta2", QT_TRANSLATE_NOOP("form", "Beta 2"), true, isAdam},
    FormField{Optimisation, "optimizer.eps", "eps", QT_TRANSLATE_NOOP("form", "Epsilon"), true, isAdam},
    FormField{Optimisation, "optimizer.clip_grad_norm", "clipGradNorm", QT_TRANSLATE_NOOP("form", "Clip gradient norm"),
              true},
    FormField{Optimisation, "training.precision", "precision", QT_TRANSLATE_NOOP("form", "Precision"), true},
    FormField{Optimisation, "training.tf32", "tf32", QT_TRANSLATE_NOOP("form", "TF32 matrix products"), true,
              mayUseGpus},
    FormField{Optimisation, "training.winograd", "winograd", QT_TRANSLATE_NOOP("form", "Winograd convolution"), true,
              mayConvolve},
    FormField{Optimisation, "training.max_steps", "maxSteps", QT_TRANSLATE_NOOP("form", "Maximum steps"), true},
    FormField{Optimisation, "training.reduction", "reduction", QT_TRANSLATE_NOOP("form", "Reduction order"), true},
    FormField{Optimisation, "training.leaves", "leaves", QT_TRANSLATE_NOOP("form", "Parts of canonical gradient sum"),
              true, isCanonicalSum},
    FormField{Optimisation, "training.recompute", "recompute", QT_TRANSLATE_NOOP("form", "Recomputed activations"),
              true},
    FormField{Optimisation, "training.accumulate_steps", "accumulateSteps",
              QT_TRANSLATE_NOOP("form", "Accumulation steps"), true},
    FormField{Optimisation, "optimizer.scale_lr", "scaleLr", QT_TRANSLATE_NOOP("form", "Scale learning rate"), true},
    FormField{Optimisation, "optimizer.scale_base_batch", "scaleBaseBatch",
              QT_TRANSLATE_NOOP("form", "Global batch for unscaled learning rate"), true, scalesRate},
    FormField{Optimisation, "schedule.kind", "schedule", QT_TRANSLATE_NOOP("form", "Learning rate schedule"), true},
    FormField{Optimisation, "schedule.step_size", "stepSize", QT_TRANSLATE_NOOP("form", "StepLR step size, epochs"),
              true, isStepSchedule},
    FormField{Optimisation, "schedule.gamma", "gamma", QT_TRANSLATE_NOOP("form", "Learning rate decay factor"), true,
              isStepSchedule},
    FormField{Optimisation, "schedule.t_max", "tMax", QT_TRANSLATE_NOOP("form", "Cosine period, epochs"), true,
              isCosine},
    FormField{Optimisation, "schedule.eta_min", "etaMin", QT_TRANSLATE_NOOP("form", "Minimum learning rate"), true,
              isCosine},
    FormField{Optimisation, "schedule.warmup_epochs", "warmupEpochs", QT_TRANSLATE_NOOP("form", "Warm-up, epochs"),
              true},
    FormField{Optimisation, "schedule.warmup_start", "warmupStart", QT_TRANSLATE_NOOP("form", "Warm-up start factor"),
              true, warmsUp},
    FormField{Optimisation, "training.validate", "validate", QT_TRANSLATE_NOOP("form", "Validation"), true},
    FormField{Optimisation, "training.log_every", "logEvery", QT_TRANSLATE_NOOP("form", "Log interval, steps"), true},
    FormField{Optimisation, "training.checkpoint_every", "checkpointEvery",
              QT_TRANSLATE_NOOP("form", "Checkpoint interval, epochs"), true},
    FormField{Optimisation, "training.checkpoint_seconds", "checkpointSeconds",
              QT_TRANSLATE_NOOP("form", "Checkpoint interval, seconds"), true},
    FormField{Optimisation, "training.keep_checkpoints", "keepCheckpoints",
              QT_TRANSLATE_NOOP("form", "Checkpoints kept"), true},
    FormField{Optimisation, "training.resume", "resume", QT_TRANSLATE_NOOP("form", "Resume from run or checkpoint"),
              true},
    FormField{Optimisation, "training.on_non_finite", "onNonFinite",
              QT_TRANSLATE_NOOP("form", "If the loss is not finite"), true},
    FormField{Optimisation, "telemetry.trace", "trace", QT_TRANSLATE_NOOP("form", "Step tracing"), true},
    FormField{Optimisation, "telemetry.megabytes_per_hour", "megabytesPerHour",
              QT_TRANSLATE_NOOP("form", "Telemetry limit, MiB per hour"), true},
    FormField{Optimisation, "telemetry.megabytes_total", "megabytesTotal",
              QT_TRANSLATE_NOOP("form", "Run directory limit, MiB"), true},
};

constexpr auto kChoices = std::to_array<std::pair<const char*, const char*>>({
    {"digits", QT_TRANSLATE_NOOP("form", "Digits")},
    {"csv", QT_TRANSLATE_NOOP("form", "CSV file")},
    {"idx", QT_TRANSLATE_NOOP("form", "IDX (MNIST)")},
    {"cifar10", QT_TRANSLATE_NOOP("form", "CIFAR-10")},
    {"cifar100", QT_TRANSLATE_NOOP("form", "CIFAR-100")},
    {"npy", QT_TRANSLATE_NOOP("form", "NumPy")},
    {"image_folder", QT_TRANSLATE_NOOP("form", "Image folder")},
    {"synthetic", QT_TRANSLATE_NOOP("form", "Synthetic")},
    {"text", QT_TRANSLATE_NOOP("form", "Text")},
    {"external", QT_TRANSLATE_NOOP("form", "Watched script")},
    {"residual_cnn", QT_TRANSLATE_NOOP("form", "Residual CNN")},
    {"transformer", QT_TRANSLATE_NOOP("form", "Transformer")},
    {"regression", QT_TRANSLATE_NOOP("form", "Regression")},
    {"blobs", QT_TRANSLATE_NOOP("form", "Blobs")},
    {"spirals", QT_TRANSLATE_NOOP("form", "Spirals")},
    {"imbalanced", QT_TRANSLATE_NOOP("form", "Imbalanced")},
    {"imagenet", QT_TRANSLATE_NOOP("form", "ImageNet-like")},
    {"yes", QT_TRANSLATE_NOOP("form", "Yes")},
    {"no", QT_TRANSLATE_NOOP("form", "No")},
    {"refuse", QT_TRANSLATE_NOOP("form", "Refuse")},
    {"drop", QT_TRANSLATE_NOOP("form", "Drop rows")},
    {"mean", QT_TRANSLATE_NOOP("form", "Column mean")},
    {"mlp", QT_TRANSLATE_NOOP("form", "MLP")},
    {"layers", QT_TRANSLATE_NOOP("form", "List of layers")},
    {"simple_cnn", QT_TRANSLATE_NOOP("form", "SimpleCNN")},
    {"toy_linear", QT_TRANSLATE_NOOP("form", "ToyModel")},
    {"stop", QT_TRANSLATE_NOOP("form", "Stop")},
    {"continue", QT_TRANSLATE_NOOP("form", "Continue")},
    {"auto", QT_TRANSLATE_NOOP("form", "Auto")},
    {"shm", QT_TRANSLATE_NOOP("form", "Shared memory")},
    {"gloo", QT_TRANSLATE_NOOP("form", "Gloo")},
    {"cpu", QT_TRANSLATE_NOOP("form", "CPU")},
    {"cuda", QT_TRANSLATE_NOOP("form", "GPU (CUDA)")},
    {"mpi", QT_TRANSLATE_NOOP("form", "MPI, under mpirun")},
    {"nccl", QT_TRANSLATE_NOOP("form", "NCCL, between GPUs")},
    {"fp32", QT_TRANSLATE_NOOP("form", "fp32")},
    {"bf16", QT_TRANSLATE_NOOP("form", "bf16 (GPUs)")},
    {"fp16", QT_TRANSLATE_NOOP("form", "fp16 (GPUs)")},
    {"adam", QT_TRANSLATE_NOOP("form", "Adam")},
    {"adamw", QT_TRANSLATE_NOOP("form", "AdamW")},
    {"none", QT_TRANSLATE_NOOP("form", "None")},
    {"linear", QT_TRANSLATE_NOOP("form", "Linear")},
    {"constant", QT_TRANSLATE_NOOP("form", "Constant")},
    {"step", QT_TRANSLATE_NOOP("form", "Step")},
    {"cosine", QT_TRANSLATE_NOOP("form", "Cosine")},
    {"distributed", QT_TRANSLATE_NOOP("form", "Distributed")},
    {"sequential", QT_TRANSLATE_NOOP("form", "Sequential, unsharded")},
    {"random", QT_TRANSLATE_NOOP("form", "Random, unsharded")},
    {"batch_sharded", QT_TRANSLATE_NOOP("form", "Whole batches: batch i to rank i mod N")},
    {"contiguous", QT_TRANSLATE_NOOP("form", "Contiguous blocks")},
    {"unpadded", QT_TRANSLATE_NOOP("form", "Unpadded (evaluation)")},
    {"weighted", QT_TRANSLATE_NOOP("form", "Weighted, unsharded")},
    {"distributed_weighted", QT_TRANSLATE_NOOP("form", "Distributed weighted")},
    {"class_balanced", QT_TRANSLATE_NOOP("form", "Class-balanced batches")},
    {"subset", QT_TRANSLATE_NOOP("form", "Subset")},
    {"ddp", QT_TRANSLATE_NOOP("form", "DDP")},
    {"data_parallel", QT_TRANSLATE_NOOP("form", "DataParallel")},
    {"model_parallel", QT_TRANSLATE_NOOP("form", "Model parallel")},
    {"pipeline", QT_TRANSLATE_NOOP("form", "Pipeline")},
    {"fsdp", QT_TRANSLATE_NOOP("form", "FSDP")},
    {"gpipe", QT_TRANSLATE_NOOP("form", "GPipe")},
    {"1f1b", QT_TRANSLATE_NOOP("form", "1F1B")},
    {"interleaved", QT_TRANSLATE_NOOP("form", "Interleaved")},
    {"zero_bubble", QT_TRANSLATE_NOOP("form", "Zero bubble")},
    {"parameters", QT_TRANSLATE_NOOP("form", "Parameters")},
    {"gradients", QT_TRANSLATE_NOOP("form", "Gradients")},
    {"layer", QT_TRANSLATE_NOOP("form", "Layer")},
    {"block", QT_TRANSLATE_NOOP("form", "Block")},
    {"whole", QT_TRANSLATE_NOOP("form", "Whole model")},
    {"blocks", QT_TRANSLATE_NOOP("form", "Blocks")},
    {"all", QT_TRANSLATE_NOOP("form", "All layers")},
    {"sgd", QT_TRANSLATE_NOOP("form", "SGD")},
    {"cross_entropy", QT_TRANSLATE_NOOP("form", "Cross-entropy")},
    {"mse", QT_TRANSLATE_NOOP("form", "Squared error")},
    {"exact", QT_TRANSLATE_NOOP("form", "Exact")},
    {"padded", QT_TRANSLATE_NOOP("form", "Padded")},
});

}  // namespace

std::span<const FormField> formFields() {
    return kFields;
}

QString sectionTitle(FormSectionId section) {
    switch (section) {
        case Data:
            return QCoreApplication::translate("form", "Data");
        case Model:
            return QCoreApplication::translate("form", "Model");
        case Parallel:
            return QCoreApplication::translate("form", "Parallel");
        case Loading:
            return QCoreApplication::translate("form", "Loading");
        case Optimisation:
            break;
    }
    return QCoreApplication::translate("form", "Optimisation");
}

QString choiceLabel(const QString& value) {
    for (const auto& [name, label] : kChoices) {
        if (value == QLatin1String(name)) return QCoreApplication::translate("form", label);
    }
    return value;
}

QString inFormWords(QString text) {
    for (const FormField& field : kFields) {
        // Matches whole paths only: the lookahead excludes longer paths that begin with this one.
        const QRegularExpression path(QRegularExpression::escape(QLatin1String(field.path)) +
                                      QStringLiteral("(?!\\w)"));
        text.replace(path, QCoreApplication::translate("form", field.label));
    }
    return text;
}

}  // namespace ringside
