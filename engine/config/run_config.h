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

// Configuration of one experiment, read from JSON with "version": 1. The defaults are the built-in digits experiment.
// The files config/fields_*.cpp contain name, help and limits of every field.

struct DatasetConfig {
    DatasetKind kind = DatasetKind::kDigits;  // kind of data set: digits | csv | idx | cifar10 | cifar100 | npy |
                                              // image_folder | synthetic
    std::string path = {};                    // path of the file or directory; relative paths are resolved against the
                                              // config file
    std::string labelColumn = {};             // csv: name or 0-based number of the label column; empty = last column
    CsvHeader header = CsvHeader::kAuto;      // csv: auto | yes | no: whether the first line contains the column names
    MissingCells missing = MissingCells::kRefuse;  // csv: refuse | drop | mean: treatment of rows with a missing value
    // fraction of the samples used for validation; the default splits the digits into 1,437 and 360 samples
    double validationFraction = 0.2;
    std::int64_t splitSeed = 0;  // seed of the split, as torch.utils.data.random_split with
                                 // manual_seed(splitSeed)
    std::int64_t size = 1024;    // synthetic: number of samples
    std::int64_t features = 10;
    std::int64_t targets = 10;
    std::int64_t seed = 0;
    std::string labelsPath = {};  // idx, npy: file of the labels; empty = derived from the name
    std::int64_t imageSize = 0;   // image_folder, imagenet: side in pixels; 0 = size of the first image (imagenet: 32)
    // synthetic: kind of samples: regression | blobs | spirals | imbalanced | imagenet
    SyntheticShape shape = SyntheticShape::kRegression;
    std::int64_t classes = 3;         // synthetic: number of classes of blobs, spirals and imbalanced
    std::int64_t contextLength = 64;  // text: characters per sample
    bool operator==(const DatasetConfig&) const = default;
};

struct ModelConfig {
    ModelKind kind = ModelKind::kMlp;          // kind of model: toy_linear | mlp | simple_cnn | residual_cnn |
                                               // transformer | layers
    std::vector<std::int64_t> hidden = {128};  // mlp: widths of the hidden layers, with a ReLU after each
    std::string layers = {};                   // layers: the list as JSON text, which a form can edit
    std::int64_t width = 64;                   // residual_cnn: channels of the first stage; transformer: width of the
                                               // embedding
    std::int64_t depth = 2;                    // residual_cnn: blocks per stage; transformer: blocks
    std::int64_t heads = 4;                    // transformer: number of attention heads, a divisor of width
    double dropout = 0;                        // transformer: probability that a value is dropped
    bool operator==(const ModelConfig&) const = default;
};

// Imitation of a slower device and link for each rank: after the real computation or transfer, the rank sleeps for the
// remaining time.
struct ThrottleConfig {
    double gflops = 0;         // throughput of a rank's device; 0: not limited
    double gbitPerSecond = 0;  // throughput of a rank's link; 0: not limited
    double latencyUs = 0;      // latency of a message, in microseconds
    bool any() const { return *this != ThrottleConfig(); }
    bool operator==(const ThrottleConfig&) const = default;
};

struct ParallelConfig {
    StrategyKind strategy = StrategyKind::kDdp;
    std::int64_t worldSize = 4;
    CollectiveBackend backend = CollectiveBackend::kAuto;  // backend of the collectives: auto | shm | gloo | mpi | nccl
    DeviceChoice device = DeviceChoice::kAuto;             // device of the arithmetic: auto | cpu | cuda
    double bucketCapMb = 25;
    double firstBucketMb = 1;
    std::int64_t threadsPerRank = 0;  // threads of a rank on the CPU; 0: CPUs of the host divided by its ranks
    double timeoutSeconds = 30;       // timeout in seconds; a rank without progress for longer counts as hung
    std::string interface = {};       // network interface for TCP between ranks; empty: loopback on a single host,
                                      // otherwise the interface that reaches rank 0
    std::int64_t maxRestarts = 0;     // restarts from the last checkpoint after a rank failed
    std::int64_t minRanks = 0;        // least number of ranks that continue after others were lost; 0: all ranks
    double memoryLimitMb = 0;         // memory limit of each rank, as counted by the engine; 0: none
    bool shareGpu = false;            // true: several ranks may share a GPU; for teaching, not for timing
    ThrottleConfig throttle = {};
    bool findUnusedParameters = false;  // ddp: true: a missing gradient counts as zeros
    std::int64_t devices = 0;           // data_parallel: devices of the single process; 0: as many as worldSize
    bool operator==(const ParallelConfig&) const = default;
};

struct SamplerConfig {
    SamplerKind kind = SamplerKind::kDistributed;  // kind of sampler; config/sampler_kind.h describes the kinds
    bool shuffle = true;
    std::int64_t seed = 0;
    bool dropLast = false;
    bool setEpoch = true;         // false: set_epoch is never called, so every epoch has the order of epoch 0
    std::int64_t numSamples = 0;  // kinds that repeat draws: samples per epoch; 0 = size of the data set
    std::vector<std::int64_t> classWeights = {};  // weighted kinds: one weight per class; empty = 1 / number of samples
                                                  // of the class
    double subsetFraction = 0.5;                  // subset: fraction of the samples that is used
    std::int64_t subsetSeed = 0;
    std::vector<std::int64_t> subsetIndices = {};  // subset: explicit indices instead of the fraction
    bool operator==(const SamplerConfig&) const = default;
};

struct LoaderConfig {
    std::int64_t batchSize = 32;  // samples of a rank per step
    bool dropLast = false;
    std::int64_t numWorkers = 0;      // loader threads; 0: the rank's own thread loads
    std::int64_t prefetchFactor = 2;  // batches that each loader thread loads ahead
    bool pinMemory = false;
    bool persistentWorkers = false;
    std::int64_t randomCropPadding = 0;  // padding of torchvision.transforms.RandomCrop(size, padding); 0 = off
    bool horizontalFlip = false;         // true: torchvision.transforms.RandomHorizontalFlip(0.5)
    bool normalize = false;              // true: standardises each channel with statistics of the training samples
    bool operator==(const LoaderConfig&) const = default;
};

struct OptimizerConfig {
    OptimizerKind kind = OptimizerKind::kSgd;  // kind of optimizer: sgd | adam | adamw
    double lr = 0.1;
    double momentum = 0.9;  // for sgd only, like dampening and nesterov
    double dampening = 0;
    double weightDecay = 0;
    bool nesterov = false;
    double beta1 = 0.9;  // for adam and adamw only, like beta2 and eps
    double beta2 = 0.999;
    double eps = 1e-8;
    double clipGradNorm = 0;                   // maximum of the gradient norm, for torch.nn.utils.clip_grad_norm_; 0 =
                                               // off
    RateScaling scaleLr = RateScaling::kNone;  // scaling of the learning rate: none | linear (lr * global batch /
                                               // scaleBaseBatch)
    std::int64_t scaleBaseBatch = 32;          // global batch size for which lr was chosen
    bool operator==(const OptimizerConfig&) const = default;
};

// Learning rate by epoch, as PyTorch's chained schedulers: LinearLR first, then StepLR or CosineAnnealingLR.
struct ScheduleConfig {
    RateScheduleKind kind = RateScheduleKind::kConstant;  // kind of learning rate schedule: constant | step | cosine
    std::int64_t stepSize = 3;                            // step: epochs between two reductions of the rate
    double gamma = 0.1;                                   // step: factor of a reduction of the rate
    std::int64_t tMax = 0;  // cosine: epochs from the full rate to etaMin; 0 = training.epochs
    double etaMin = 0;
    std::int64_t warmupEpochs = 0;  // number of epochs in which the rate rises to lr; 0 = off
    double warmupStart = 1.0 / 3;   // fraction of lr in the first epoch of the warm-up
    bool operator==(const ScheduleConfig&) const = default;
};

struct TrainingConfig {
    std::int64_t epochs = 10;
    std::int64_t accumulateSteps = 1;        // micro-batches per optimizer step
    std::int64_t seed = 0;                   // seed passed to torch.manual_seed before the model is built
    LossKind loss = LossKind::kAuto;         // loss function: auto | cross_entropy | mse
    std::int64_t maxSteps = 0;               // maximum number of optimizer steps; 0: all steps of all epochs
    Recompute recompute = Recompute::kNone;  // activations that the backward pass recomputes: none | blocks | all
    ValidationMode validate = ValidationMode::kExact;  // result of validation that is shown first: exact | padded; both
                                                       // results are reported
    std::int64_t logEvery = 1;         // number of steps between two logged steps, which are the points of the charts
    std::int64_t checkpointEvery = 0;  // epochs between checkpoints; 0 = final weights only
    // seconds between checkpoints within an epoch, of which the latest is kept; 0 = off
    std::int64_t checkpointSeconds = 180;
    std::int64_t keepCheckpoints = 0;  // number of latest checkpoints that are kept; 0: all
    std::string resume = {};           // checkpoint or run directory to resume from; empty = start from the beginning
    TrainingPrecision precision = TrainingPrecision::kFp32;  // precision of the arithmetic: fp32 | bf16 | fp16
    bool tf32 = false;                                       // CUDA: true: matrix products in TF32
    bool winograd = true;  // CPU: true: gradients of 3x3 convolutions with 32 channels or more by Winograd's algorithm
    OnNonFinite onNonFinite = OnNonFinite::kStop;  // reaction to a NaN or infinite loss: stop | continue
    ReductionOrder reduction =
        ReductionOrder::kRank;  // order in which gradients are added: rank | canonical (config/leaves.h)
    std::int64_t leaves = 8;    // training.reduction canonical: number of leaves, the parts of the global batch whose
                                // gradients are added in a tree; a power of two
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
    StepPitfalls stepPitfalls;  // options of the section "pitfalls" that act on training steps
    LoaderConfig loader;
    OptimizerConfig optimizer;
    ScheduleConfig schedule;
    TrainingConfig training;
    TelemetryConfig telemetry;

    bool operator==(const RunConfig&) const = default;

    // Returns the problems that can be found without reading the data: ranges, choices and contradictions. Empty if the
    // configuration is valid.
    Problems validate() const;

    // Returns the problems of validate() and, in addition, a problem if there are more than kMaxTrainingWorldSize
    // ranks, the maximum for training.
    Problems validateForTraining() const;

    // Returns the number of samples per optimizer step, over all ranks and micro-batches.
    std::int64_t globalBatch() const { return loader.batchSize * dataRanks() * training.accumulateSteps; }
    // Returns the number of ranks that use different samples. The ranks of one pipeline count as one.
    std::int64_t dataRanks() const;
    // True if every epoch has the random order of epoch 0, because set_epoch is never called.
    bool repeatsOrder() const;
    // Returns optimizer.lr after linear scaling, if enabled. The schedule starts from this value.
    double scaledLearningRate() const;

    // Returns all fields as JSON, in the order of configFields().
    Json toJson() const;
    // Returns toJson() as text: on one line, or with `indent` blanks per level.
    std::string toText(int indent = -1) const;

    // Creates a configuration from JSON. Each wrong key or type is a problem, and the problem of an unknown key
    // suggests the nearest known one. A failed result contains the first problem; `all` receives all of them.
    // validate() checks the ranges.
    static Result<RunConfig> fromJson(const Json& json, Problems* all = nullptr);

    // Creates a configuration from JSON text. `what` names the source in syntax errors.
    static Result<RunConfig> parse(std::string_view text, const std::string& what, Problems* all = nullptr);

    // Applies an assignment such as "parallel.world_size=8". The value is JSON, or text without quotes for string
    // fields.
    Problems set(const std::string& assignment);
};

}  // namespace ringside
