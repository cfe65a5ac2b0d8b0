// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"
#include "config/choices.h"
#include "config/pitfalls_config.h"
#include "config/sampler_kind.h"
#include "config/strategy_config.h"
#include "config/telemetry_config.h"

namespace ringside {

inline constexpr std::int64_t kConfigVersion = 1;
inline constexpr std::int64_t kMaxTrainingWorldSize = 64;

// One experiment: the configuration contract (JSON, "version": 1). Plain values, defaults = the built-in
// digits experiment. Every field is described once, in config_fields.cpp (name, help, limits).

struct DatasetConfig {
    DatasetKind kind =
        DatasetKind::kDigits;             // digits | csv | idx | cifar10 | cifar100 | npy | image_folder | synthetic
    std::string path = {};                // the file or directory; relative paths are resolved against the config file
    std::string labelColumn = {};         // csv: name or 0-based number; empty = last column
    CsvHeader header = CsvHeader::kAuto;  // csv: auto | yes | no: whether the first line has the columns' names
    MissingCells missing =
        MissingCells::kRefuse;        // csv: refuse | drop | mean: what becomes of rows with a value missing
    double validationFraction = 0.2;  // digits: fixed 1,437 / 360 split at the default
    std::int64_t splitSeed = 0;       // torch.utils.data.random_split with manual_seed(splitSeed)
    std::int64_t size = 1024;         // synthetic: number of samples; randn(size, features) -> randn(size, targets)
    std::int64_t features = 10;
    std::int64_t targets = 10;
    std::int64_t seed = 0;
    std::string labelsPath = {};  // idx, npy: the labels' file; empty = guessed from the name
    std::int64_t imageSize = 0;   // image_folder, imagenet: side of the square; 0 = as the first image (32)
    SyntheticShape shape =
        SyntheticShape::kRegression;  // synthetic: regression | blobs | spirals | imbalanced | imagenet
    std::int64_t classes = 3;         // synthetic: blobs, spirals and imbalanced
    std::int64_t contextLength = 64;  // text: characters per sample
    bool operator==(const DatasetConfig&) const = default;
};

struct ModelConfig {
    ModelKind kind = ModelKind::kMlp;          // toy_linear | mlp | simple_cnn | residual_cnn | transformer | layers
    std::vector<std::int64_t> hidden = {128};  // mlp: widths of the hidden layers, ReLU between
    std::string layers = {};                   // layers: the list as JSON text, so that a form may edit it
    std::int64_t width = 64;                   // residual_cnn: channels of the first stage; transformer: embedding
    std::int64_t depth = 2;                    // residual_cnn: blocks per stage; transformer: blocks
    std::int64_t heads = 4;                    // transformer: attention heads, dividing width
    double dropout = 0;                        // transformer: part of the values that is dropped
    bool hasBatchNorm() const;
    bool operator==(const ModelConfig&) const = default;
};

// The device and the link that each rank is slowed down to: real arithmetic and real bytes, and the rest is slept.
struct PaceConfig {
    double gflops = 0;         // of a rank's device; 0: as fast as it computes
    double gbitPerSecond = 0;  // of its link; 0: as fast as bytes move
    double latencyUs = 0;      // of a message
    bool any() const { return *this != PaceConfig(); }
    bool operator==(const PaceConfig&) const = default;
};

struct ParallelConfig {
    StrategyKind strategy = StrategyKind::kDdp;
    std::int64_t worldSize = 4;
    CollectiveBackend backend = CollectiveBackend::kAuto;  // auto | shm | gloo | mpi | nccl (collectives)
    DeviceChoice device = DeviceChoice::kAuto;             // auto | cpu | cuda       (arithmetic)
    double bucketCapMb = 25;
    double firstBucketMb = 1;
    std::int64_t threadsPerRank = 0;  // on the CPU; 0: the host's CPUs divided by its ranks
    double timeoutSeconds = 30;       // a rank that is silent this long has hung
    std::string interface = {};       // of the network between hosts; empty: the one that reaches rank 0
    std::int64_t maxRestarts = 0;     // from the last checkpoint, after a rank failed
    std::int64_t minRanks = 0;        // so few go on where others stay away; 0: only all
    double memoryLimitMb = 0;         // of each rank, as the engine counts; 0: none but the machine's
    bool shareGpu = false;            // more ranks than GPUs: several ranks on one, for teaching and not for timing
    PaceConfig pace = {};
    bool findUnusedParameters = false;  // ddp: a gradient that does not come counts as zeros
    std::int64_t devices = 0;           // data_parallel: in the one process; 0: as many as world_size says
    bool operator==(const ParallelConfig&) const = default;
};

struct SamplerConfig {
    SamplerKind kind = SamplerKind::kDistributed;  // the names are in config/sampler_kind.h
    bool shuffle = true;
    std::int64_t seed = 0;
    bool dropLast = false;
    bool setEpoch = true;         // false: the forgotten set_epoch, every epoch has the order of epoch 0
    std::int64_t numSamples = 0;  // kinds that draw again: samples per epoch; 0 = as many as there are
    std::vector<std::int64_t> classWeights = {};  // weighted kinds: one per class; empty = 1 / number of samples
    double subsetFraction = 0.5;                  // subset: the part that is used
    std::int64_t subsetSeed = 0;
    std::vector<std::int64_t> subsetIndices = {};  // subset: these samples instead
    bool operator==(const SamplerConfig&) const = default;
};

struct LoaderConfig {
    std::int64_t batchSize = 32;  // per rank
    bool dropLast = false;
    std::int64_t numWorkers = 0;      // threads that load; 0: the rank loads itself
    std::int64_t prefetchFactor = 2;  // batches each of them loads ahead
    bool pinMemory = false;
    bool persistentWorkers = false;
    std::int64_t randomCropPadding = 0;  // torchvision RandomCrop(size, padding); 0 = off
    bool horizontalFlip = false;         // RandomHorizontalFlip(0.5)
    bool normalize = false;              // per channel, over the training samples
    bool operator==(const LoaderConfig&) const = default;
};

struct OptimizerConfig {
    OptimizerKind kind = OptimizerKind::kSgd;  // sgd | adam | adamw
    double lr = 0.1;
    double momentum = 0.9;  // with dampening and nesterov: sgd
    double dampening = 0;
    double weightDecay = 0;
    bool nesterov = false;
    double beta1 = 0.9;  // with beta2 and eps: adam, adamw
    double beta2 = 0.999;
    double eps = 1e-8;
    double clipGradNorm = 0;                   // torch.nn.utils.clip_grad_norm_; 0 = off
    RateScaling scaleLr = RateScaling::kNone;  // none | linear: lr * global batch / scaleBaseBatch
    std::int64_t scaleBaseBatch = 32;          // the global batch that lr was chosen for
    bool operator==(const OptimizerConfig&) const = default;
};

// Learning rate by epoch, as PyTorch's chained schedulers: LinearLR first, then StepLR or CosineAnnealingLR.
struct ScheduleConfig {
    RateScheduleKind kind = RateScheduleKind::kConstant;  // constant | step | cosine
    std::int64_t stepSize = 3;                            // step: epochs between cuts
    double gamma = 0.1;                                   // step: factor of a cut
    std::int64_t tMax = 0;  // cosine: epochs from the full rate to etaMin; 0 = training.epochs
    double etaMin = 0;
    std::int64_t warmupEpochs = 0;  // 0 = off
    double warmupStart = 1.0 / 3;   // part of the rate in the first epoch
    bool operator==(const ScheduleConfig&) const = default;
};

struct TrainingConfig {
    std::int64_t epochs = 10;
    std::int64_t accumulateSteps = 1;        // micro-batches to an optimizer step
    std::int64_t seed = 0;                   // torch.manual_seed before the model is built
    LossKind loss = LossKind::kAuto;         // auto | cross_entropy | mse
    std::int64_t maxSteps = 0;               // optimizer steps at most; 0: all of all epochs
    Recompute recompute = Recompute::kNone;  // none | blocks | all: activations that are computed again instead of kept
    ValidationMode validate =
        ValidationMode::kExact;            // exact | padded: which of the two is the headline; both are reported
    std::int64_t logEvery = 1;             // steps between telemetry points
    std::int64_t checkpointEvery = 0;      // epochs between checkpoints; 0 = final weights only
    std::int64_t checkpointSeconds = 180;  // at most, between checkpoints of which the latest is kept; 0 = off
    std::int64_t keepCheckpoints = 0;      // the latest of those that are written; 0: all
    std::string resume = {};               // checkpoint or run directory to go on from; empty = start anew
    TrainingPrecision precision = TrainingPrecision::kFp32;  // fp32 | bf16 | fp16
    bool tf32 = false;                                       // CUDA: matrix products with TF32 mantissas
    bool winograd = true;                                    // CPU: gradients of wide 3x3 convolutions by Winograd
    OnNonFinite onNonFinite = OnNonFinite::kStop;            // stop | continue: what a NaN or infinite loss does
    ReductionOrder reduction =
        ReductionOrder::kRank;  // rank | canonical: the order in which gradients are added (leaves.h)
    std::int64_t leaves = 8;    // canonical: parts of the global batch, a power of two
    bool operator==(const TrainingConfig&) const = default;
};

struct RunConfig {
    std::string name = "digits-mlp";
    DatasetConfig dataset;
    ModelConfig model;
    ParallelConfig parallel;
    MeshConfig mesh;
    PipelineConfig pipeline;
    FsdpConfig fsdp;
    SamplerConfig sampler;
    PitfallsConfig pitfalls;
    StepPitfalls stepPitfalls;  // "pitfalls" as well
    LoaderConfig loader;
    OptimizerConfig optimizer;
    ScheduleConfig schedule;
    TrainingConfig training;
    TelemetryConfig telemetry;

    bool operator==(const RunConfig&) const = default;

    // Problems that need no data file: ranges, choices, fields that contradict each other. Empty = valid.
    Problems validate() const;

    // validate(), and what training needs beyond planning: at most kMaxTrainingWorldSize ranks.
    Problems validateForTraining() const;

    // Samples that one optimizer step learns from, over all ranks and micro-batches.
    std::int64_t globalBatch() const { return loader.batchSize * dataRanks() * training.accumulateSteps; }
    // Ranks that read samples of their own: all, but for those that share a pipeline.
    std::int64_t dataRanks() const;
    // True if every epoch repeats the random order of epoch 0, because set_epoch is never called.
    bool repeatsOrder() const;
    // optimizer.lr, after the linear scaling if that is on; the schedule starts from it.
    double scaledLearningRate() const;

    // Every field, in the order of the contract.
    Json toJson() const;
    std::string toText(int indent = -1) const;  // the same as text: one line, or indented by so many blanks

    // Every wrong key or type is a problem; unknown keys name the nearest known one. Ranges are validate()'s job.
    static Result<RunConfig> fromJson(const Json& json, Problems* all = nullptr);

    // The same from JSON text; `what` names its source when it is no JSON.
    static Result<RunConfig> parse(std::string_view text, const std::string& what, Problems* all = nullptr);

    // "parallel.world_size=8": the value is JSON, or a bare word where the field is a string.
    Problems set(const std::string& assignment);
};

}  // namespace ringside
