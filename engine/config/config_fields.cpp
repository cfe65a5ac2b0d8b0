// SPDX-License-Identifier: Apache-2.0
#include "config/config_fields.h"

#include <algorithm>
#include <array>

#include "config/sampler_kind.h"

namespace ringside {
namespace {

using std::string_view;

constexpr double kMaxInt32 = 2147483647.0;

constexpr std::array<string_view, 8> kDatasets = {"digits",   "csv", "idx",          "cifar10",
                                                  "cifar100", "npy", "image_folder", "synthetic"};
constexpr std::array<string_view, 5> kShapes = {"regression", "blobs", "spirals", "imbalanced", "imagenet"};
constexpr std::array<string_view, 4> kModels = {"toy_linear", "mlp", "simple_cnn", "layers"};
constexpr std::array<string_view, 1> kStrategies = {"ddp"};
constexpr std::array<string_view, 4> kBackends = {"auto", "shm", "gloo", "nccl"};
constexpr std::array<string_view, 3> kDevices = {"auto", "cpu", "cuda"};
constexpr std::array<string_view, 3> kOptimizers = {"sgd", "adam", "adamw"};
constexpr std::array<string_view, 2> kScalings = {"none", "linear"};
constexpr std::array<string_view, 3> kSchedules = {"constant", "step", "cosine"};
constexpr std::array<string_view, 3> kLosses = {"auto", "cross_entropy", "mse"};
constexpr std::array<string_view, 2> kValidations = {"exact", "padded"};

#define RINGSIDE_SLOT(member) [](RunConfig& c) -> FieldSlot { return &c.member; }

const std::vector<ConfigField>& fieldTable() {
    using enum FieldType;
    static const std::vector<ConfigField> table = {
        {"name", kText, "What this experiment is called; the run directory is named after it.", RINGSIDE_SLOT(name)},

        {"dataset.kind", kChoice,
         "Where the samples come from: the built-in handwritten digits, a file (CSV table, IDX as of MNIST, NumPy "
         "array), "
         "CIFAR's binary files, a folder of images, or made-up data.",
         RINGSIDE_SLOT(dataset.kind), kDatasets},
        {"dataset.path", kText,
         "The file or directory with the samples; a relative path starts at the directory of the experiment file. The "
         "features of a CSV file are shifted and scaled to mean 0 and variance 1 over the training samples.",
         RINGSIDE_SLOT(dataset.path)},
        {"dataset.labels_path", kText,
         "idx and npy only: the file with the labels. Empty looks for one beside the samples with the usual name.",
         RINGSIDE_SLOT(dataset.labelsPath)},
        {"dataset.label_column", kText,
         "The CSV column to be predicted, by name or by number counted from 0; empty takes the last one.",
         RINGSIDE_SLOT(dataset.labelColumn)},
        {"dataset.validation_fraction",
         kReal,
         "The part of the samples kept aside for validation and never trained on. A fifth is a good habit.",
         RINGSIDE_SLOT(dataset.validationFraction),
         {},
         0.001,
         0.9},
        {"dataset.split_seed", kInteger,
         "Seed of the permutation that decides which samples validate. Keep it when you compare runs.",
         RINGSIDE_SLOT(dataset.splitSeed)},
        {"dataset.image_size",
         kInteger,
         "image_folder and the synthetic shape imagenet: side in pixels of the square that every image becomes; 0 "
         "takes "
         "the size of the first image (32 for imagenet).",
         RINGSIDE_SLOT(dataset.imageSize),
         {},
         0,
         4096},
        {"dataset.shape", kChoice,
         "Synthetic data only. regression: random numbers as torch.randn; blobs, spirals: classes in clouds or arms; "
         "imbalanced: the largest class has 100 times the smallest; imagenet: 1,281,167 images of 1,000 classes.",
         RINGSIDE_SLOT(dataset.shape), kShapes},
        {"dataset.classes",
         kInteger,
         "Synthetic blobs, spirals and imbalanced only: how many classes there are.",
         RINGSIDE_SLOT(dataset.classes),
         {},
         2,
         10000},
        {"dataset.size",
         kInteger,
         "Synthetic data only: how many samples there are.",
         RINGSIDE_SLOT(dataset.size),
         {},
         2,
         kMaxInt32},
        {"dataset.features",
         kInteger,
         "Synthetic data only: numbers per sample that go into the model.",
         RINGSIDE_SLOT(dataset.features),
         {},
         1,
         1000000},
        {"dataset.targets",
         kInteger,
         "Synthetic regression only: numbers per sample that the model is to predict.",
         RINGSIDE_SLOT(dataset.targets),
         {},
         1,
         1000000},
        {"dataset.seed", kInteger, "Synthetic data only: seed of the random numbers.", RINGSIDE_SLOT(dataset.seed)},

        {"model.kind", kChoice,
         "mlp: fully connected layers with ReLU between them; toy_linear: one linear layer, as in PyTorch's tutorials; "
         "simple_cnn: two convolutions with pooling and two linear layers, for images of any size; layers: your own "
         "list.",
         RINGSIDE_SLOT(model.kind), kModels},
        {"model.hidden",
         kIntegerList,
         "mlp only: width of each hidden layer. More or wider layers mean more parameters, so more bytes to "
         "all-reduce.",
         RINGSIDE_SLOT(model.hidden),
         {},
         1,
         65536},

        {"model.layers", kLayerList,
         "layers only: one after the other, as nn.Sequential. linear (out), conv2d (out, kernel, stride, padding), "
         "max_pool2d (kernel), relu, gelu, layer_norm, flatten. The last linear may leave out \"out\".",
         RINGSIDE_SLOT(model.layers)},

        {"parallel.strategy", kChoice,
         "How a step is spread over the ranks. ddp: every rank has the whole model and its own samples; gradients are "
         "averaged.",
         RINGSIDE_SLOT(parallel.strategy), kStrategies},
        {"parallel.world_size",
         kInteger,
         "How many ranks train together, one process each (one GPU each, or a share of the CPU). The global batch "
         "grows "
         "with it.",
         RINGSIDE_SLOT(parallel.worldSize),
         {},
         1,
         4096},
        {"parallel.backend", kChoice,
         "What carries the gradients between ranks. shm: shared memory on one computer; gloo: TCP; nccl: between GPUs; "
         "auto chooses and "
         "says "
         "why.",
         RINGSIDE_SLOT(parallel.backend), kBackends},
        {"parallel.device", kChoice, "What the ranks compute on; auto takes the best that is there and says why.",
         RINGSIDE_SLOT(parallel.device), kDevices},
        {"parallel.bucket_cap_mb",
         kReal,
         "Gradients travel in buckets of about this many MiB. Small buckets start early, large ones cost fewer round "
         "trips.",
         RINGSIDE_SLOT(parallel.bucketCapMb),
         {},
         0,
         65536,
         true},
        {"parallel.first_bucket_mb",
         kReal,
         "Size in MiB of the bucket that is reduced first: small, so that communication starts early in backward.",
         RINGSIDE_SLOT(parallel.firstBucketMb),
         {},
         0,
         65536,
         true},
        {"parallel.timeout_seconds",
         kReal,
         "A rank that is silent for so long has hung, and the run ends with a verdict instead of waiting forever.",
         RINGSIDE_SLOT(parallel.timeoutSeconds),
         {},
         1,
         86400},

        {"sampler.kind", kChoice,
         "How samples are dealt to ranks. distributed: as torch.utils.data.DistributedSampler, like cards, one at a "
         "time; batch_sharded: whole batches in turn; contiguous: one block each; unpadded: nothing repeated, for "
         "evaluation; distributed_weighted, class_balanced: rare classes more often; subset: a part of the data. "
         "sequential, random and weighted shard nothing: every rank gets everything.",
         RINGSIDE_SLOT(sampler.kind), samplerNames()},
        {"sampler.shuffle", kBoolean,
         "Deal a shuffled deck. Off, every epoch has the samples in the order of the file.",
         RINGSIDE_SLOT(sampler.shuffle)},
        {"sampler.seed", kInteger,
         "Seed of the shuffle; epoch e uses seed + e. All ranks must have the same, or shards overlap and samples are "
         "missed.",
         RINGSIDE_SLOT(sampler.seed)},
        {"sampler.drop_last", kBoolean,
         "When the samples do not divide evenly: on drops the few left over, off repeats a few so that all ranks get "
         "equally many.",
         RINGSIDE_SLOT(sampler.dropLast)},
        {"sampler.set_epoch", kBoolean,
         "Call sampler.set_epoch(epoch) before each epoch. Off is the classic mistake: every epoch has the same order.",
         RINGSIDE_SLOT(sampler.setEpoch)},
        {"sampler.num_samples",
         kInteger,
         "weighted, distributed_weighted and class_balanced only: samples drawn in each epoch, by all ranks together "
         "where they share; 0 draws as many as there are.",
         RINGSIDE_SLOT(sampler.numSamples),
         {},
         0,
         kMaxInt32},
        {"sampler.class_weights",
         kIntegerList,
         "weighted and distributed_weighted only: how often each class is drawn, relative to the others, one number "
         "per class. Empty takes 1 / the number of its samples, so that all classes come equally often.",
         RINGSIDE_SLOT(sampler.classWeights),
         {},
         0,
         1e9},
        {"sampler.subset_fraction",
         kReal,
         "subset only: the part of the samples that is used, chosen at random once.",
         RINGSIDE_SLOT(sampler.subsetFraction),
         {},
         0,
         1,
         true},
        {"sampler.subset_seed", kInteger, "subset only: seed of the choice; it stays the same in all epochs.",
         RINGSIDE_SLOT(sampler.subsetSeed)},
        {"sampler.subset_indices",
         kIntegerList,
         "subset only: exactly these samples instead of a random part, each once.",
         RINGSIDE_SLOT(sampler.subsetIndices),
         {},
         0,
         kMaxInt32},

        {"pitfalls.seed_per_rank", kBoolean,
         "A deliberate mistake: every rank shuffles with seed + rank. Shards then overlap, and samples are missed.",
         RINGSIDE_SLOT(pitfalls.seedPerRank)},
        {"pitfalls.double_sharding", kBoolean,
         "A deliberate mistake: the data is split by rank, and the sampler splits each part again. Most samples are "
         "never used.",
         RINGSIDE_SLOT(pitfalls.doubleSharding)},
        {"pitfalls.wrong_rank",
         kInteger,
         "A deliberate mistake: every process tells the sampler it is this rank, so all get the same shard. -1 is off.",
         RINGSIDE_SLOT(pitfalls.wrongRank),
         {},
         -1,
         4095},
        {"pitfalls.wrong_world_size",
         kInteger,
         "A deliberate mistake: num_replicas set by hand. Too large, samples are missed; too small, PyTorch refuses. 0 "
         "is off.",
         RINGSIDE_SLOT(pitfalls.wrongWorldSize),
         {},
         0,
         4096},
        {"pitfalls.shuffle_with_sampler", kBoolean,
         "A deliberate mistake: shuffle=True given to the DataLoader together with a sampler, which PyTorch refuses.",
         RINGSIDE_SLOT(pitfalls.shuffleWithSampler)},

        {"loader.batch_size",
         kInteger,
         "Samples per step and per rank. The global batch, which the learning rate feels, is this times the world "
         "size.",
         RINGSIDE_SLOT(loader.batchSize),
         {},
         1,
         kMaxInt32},
        {"loader.drop_last", kBoolean,
         "Leave out each rank's last batch when it is not full. Not the same as the sampler's drop_last.",
         RINGSIDE_SLOT(loader.dropLast)},

        {"optimizer.kind", kChoice,
         "The update rule. sgd: stochastic gradient descent, with momentum if you like; adam, adamw: a step length for "
         "each "
         "weight, which likes a learning rate near 0.001.",
         RINGSIDE_SLOT(optimizer.kind), kOptimizers},
        {"optimizer.lr",
         kReal,
         "Learning rate: the length of each step. With k times the global batch, try k times the rate.",
         RINGSIDE_SLOT(optimizer.lr),
         {},
         0,
         1e6,
         true},
        {"optimizer.momentum",
         kReal,
         "sgd only: how much of the last step goes on into this one, 0 to below 1. 0.9 averages over about ten steps.",
         RINGSIDE_SLOT(optimizer.momentum),
         {},
         0,
         0.999999},
        {"optimizer.dampening",
         kReal,
         "sgd only: how much of the new gradient momentum leaves out; almost always 0.",
         RINGSIDE_SLOT(optimizer.dampening),
         {},
         0,
         1},
        {"optimizer.weight_decay",
         kReal,
         "Pulls weights towards zero, against overfitting; 0 is off, 1e-4 is common. sgd and adam add it to the "
         "gradient, "
         "adamw shrinks the weights themselves (PyTorch's default there: 0.01).",
         RINGSIDE_SLOT(optimizer.weightDecay),
         {},
         0,
         1e6},
        {"optimizer.nesterov", kBoolean,
         "sgd only: Nesterov's momentum, look ahead along the last step. Needs momentum.",
         RINGSIDE_SLOT(optimizer.nesterov)},
        {"optimizer.beta1",
         kReal,
         "adam and adamw: how slowly the mean of the gradients follows them.",
         RINGSIDE_SLOT(optimizer.beta1),
         {},
         0,
         0.999999},
        {"optimizer.beta2",
         kReal,
         "adam and adamw: how slowly the mean of their squares follows them.",
         RINGSIDE_SLOT(optimizer.beta2),
         {},
         0,
         0.999999999},
        {"optimizer.eps",
         kReal,
         "adam and adamw: added to the divisor, so that tiny gradients do not make huge steps.",
         RINGSIDE_SLOT(optimizer.eps),
         {},
         0,
         1},
        {"optimizer.clip_grad_norm",
         kReal,
         "A gradient longer than this is shortened to it (torch.nn.utils.clip_grad_norm_), after the all-reduce; 0 is "
         "off.",
         RINGSIDE_SLOT(optimizer.clipGradNorm),
         {},
         0,
         1e9},
        {"optimizer.scale_lr", kChoice,
         "linear: the learning rate is multiplied by the global batch over scale_base_batch, so that it follows the "
         "world size. none: it is taken as it stands.",
         RINGSIDE_SLOT(optimizer.scaleLr), kScalings},
        {"optimizer.scale_base_batch",
         kInteger,
         "With scale_lr linear: the global batch that the learning rate was chosen for.",
         RINGSIDE_SLOT(optimizer.scaleBaseBatch),
         {},
         1,
         kMaxInt32},

        {"schedule.kind", kChoice,
         "How the learning rate goes on from epoch to epoch. step: cut every few epochs (StepLR); cosine: down along "
         "half a wave (CosineAnnealingLR).",
         RINGSIDE_SLOT(schedule.kind), kSchedules},
        {"schedule.step_size",
         kInteger,
         "step only: epochs from one cut to the next.",
         RINGSIDE_SLOT(schedule.stepSize),
         {},
         1,
         1e6},
        {"schedule.gamma",
         kReal,
         "step only: what the learning rate is multiplied by at a cut.",
         RINGSIDE_SLOT(schedule.gamma),
         {},
         0,
         1,
         true},
        {"schedule.t_max",
         kInteger,
         "cosine only: epochs from the full rate down to eta_min; 0 takes all epochs of the training.",
         RINGSIDE_SLOT(schedule.tMax),
         {},
         0,
         1e6},
        {"schedule.eta_min",
         kReal,
         "cosine only: the learning rate at the bottom of the wave.",
         RINGSIDE_SLOT(schedule.etaMin),
         {},
         0,
         1e6},
        {"schedule.warmup_epochs",
         kInteger,
         "Epochs in which the rate climbs linearly to its full value (LinearLR); 0 is off. Large batches need it.",
         RINGSIDE_SLOT(schedule.warmupEpochs),
         {},
         0,
         1e6},
        {"schedule.warmup_start",
         kReal,
         "With warm-up: the part of the learning rate used in the first epoch.",
         RINGSIDE_SLOT(schedule.warmupStart),
         {},
         0,
         1,
         true},

        {"training.epochs",
         kInteger,
         "How many times every training sample is used.",
         RINGSIDE_SLOT(training.epochs),
         {},
         1,
         1e6},
        {"training.accumulate_steps",
         kInteger,
         "Micro-batches whose gradients are added up before they are all-reduced and one step is made. Each loss is "
         "divided by this number, also in a shorter group at the end of an epoch.",
         RINGSIDE_SLOT(training.accumulateSteps),
         {},
         1,
         1e6},
        {"training.seed", kInteger,
         "Seed of the initial weights, as torch.manual_seed before the model is built. All ranks start from rank 0's.",
         RINGSIDE_SLOT(training.seed)},
        {"training.loss", kChoice, "What is minimised; auto takes cross_entropy for classes and mse for numbers.",
         RINGSIDE_SLOT(training.loss), kLosses},
        {"training.validate", kChoice,
         "The validation figure shown first. exact counts each sample once; padded also counts the repeated ones, as "
         "most "
         "scripts do.",
         RINGSIDE_SLOT(training.validate), kValidations},
        {"training.log_every",
         kInteger,
         "Steps between two points of the charts.",
         RINGSIDE_SLOT(training.logEvery),
         {},
         1,
         1e9},
        {"training.checkpoint_every",
         kInteger,
         "Epochs between checkpoints; 0 keeps only the final weights.",
         RINGSIDE_SLOT(training.checkpointEvery),
         {},
         0,
         1e6},
    };
    return table;
}

#undef RINGSIDE_SLOT

const std::vector<NeutralKey>& neutralTable() {
    static const std::vector<NeutralKey> table = {
        {"loader.num_workers", {Json(0)}, "each rank loads its own samples"},
        {"loader.prefetch_factor", {Json(2), Json()}, "there are no loading workers that could prefetch"},
        {"loader.pin_memory", {Json(false)}, "the ranks compute on the CPU"},
        {"loader.persistent_workers", {Json(false)}, "there are no loading workers that could persist"},
        {"optimizer.betas",
         {Json::array({0.9, 0.999}), Json()},
         "they are two fields, optimizer.beta1 and optimizer.beta2"},
        {"optimizer.amsgrad", {Json(false)}, "Adam divides by the running mean of the squares, not its maximum"},
        {"training.precision", {Json("fp32")}, "arithmetic is in 32-bit floating point"},
    };
    return table;
}

}  // namespace

string_view ConfigField::section() const {
    const auto dot = path.find('.');
    return dot == string_view::npos ? string_view() : path.substr(0, dot);
}

string_view ConfigField::key() const {
    const auto dot = path.find('.');
    return dot == string_view::npos ? path : path.substr(dot + 1);
}

std::span<const ConfigField> configFields() {
    return fieldTable();
}

std::span<const NeutralKey> neutralKeys() {
    return neutralTable();
}

const ConfigField* findConfigField(string_view path) {
    const auto found = std::ranges::find(configFields(), path, &ConfigField::path);
    return found == configFields().end() ? nullptr : &*found;
}

Json fieldValue(const ConfigField& field, const RunConfig& config) {
    // slot() points into a config that may be changed; here it is only read.
    const FieldSlot slot = field.slot(const_cast<RunConfig&>(config));
    const Json value = std::visit([](const auto* held) { return Json(*held); }, slot);
    if (field.type != FieldType::kLayerList) return value;
    if (value == "") return Json::array();
    const Result<Json> list = parseJson(value.get<std::string>(), "the list");
    return list ? list.value() : value;
}

}  // namespace ringside
