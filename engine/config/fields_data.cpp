// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "config/field_tables.h"

namespace ringside {
namespace {

using std::string_view;

constexpr std::array<string_view, 9> kDatasets = {"digits", "csv",          "idx",       "cifar10", "cifar100",
                                                  "npy",    "image_folder", "synthetic", "text"};
constexpr std::array<string_view, 3> kHeaders = {"auto", "yes", "no"};
constexpr std::array<string_view, 3> kMissing = {"refuse", "drop", "mean"};
constexpr std::array<string_view, 5> kShapes = {"regression", "blobs", "spirals", "imbalanced", "imagenet"};
constexpr std::array<string_view, 6> kModels = {"toy_linear",   "mlp",         "simple_cnn",
                                                "residual_cnn", "transformer", "layers"};

}  // namespace

std::vector<ConfigField> dataFields() {
    using enum FieldType;
    return {
        {"name", kText, "What this experiment is called; the run directory is named after it.", RINGSIDE_SLOT(name)},

        {"dataset.kind", kChoice,
         "Where the samples come from: the built-in handwritten digits, a file (CSV table, IDX as of MNIST, NumPy "
         "array), CIFAR's binary files, a folder of images, made-up data, or a text cut into pieces.",
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
        {"dataset.header", kChoice,
         "csv only: whether the first line has the names of the columns. auto: it has where a name stands above a "
         "number.",
         RINGSIDE_SLOT(dataset.header), kHeaders},
        {"dataset.missing", kChoice,
         "csv only: cells that are empty or say ?, -, NA, N/A, NaN, null or None. refuse: they are an error; drop: "
         "their rows are left out; mean: they get the mean of their column over the training samples.",
         RINGSIDE_SLOT(dataset.missing), kMissing},
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
         "Synthetic data only: how many samples there are, those kept for validation included.",
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
        {"dataset.context_length",
         kInteger,
         "text only: characters in a sample, each of which the model sees together with those before it.",
         RINGSIDE_SLOT(dataset.contextLength),
         {},
         1,
         4096},

        {"model.kind", kChoice,
         "mlp: fully connected layers with ReLU between them; toy_linear: one linear layer, as in PyTorch's tutorials; "
         "simple_cnn: two convolutions with pooling and two linear layers, for images of any size; residual_cnn: a "
         "deep CNN with batch norm and shortcuts; transformer: predicts each next character of a text; layers: your "
         "own list.",
         RINGSIDE_SLOT(model.kind), kModels},
        {"model.hidden",
         kIntegerList,
         "mlp only: width of each hidden layer. More or wider layers mean more parameters, so more bytes to "
         "all-reduce.",
         RINGSIDE_SLOT(model.hidden),
         {},
         1,
         65536},
        {"model.width",
         kInteger,
         "residual_cnn: channels of the first stage, doubled in the second and third. transformer: values that stand "
         "for a character.",
         RINGSIDE_SLOT(model.width),
         {},
         1,
         4096},
        {"model.depth",
         kInteger,
         "residual_cnn: blocks in each of the three stages. transformer: blocks of attention and MLP, one after the "
         "other.",
         RINGSIDE_SLOT(model.depth),
         {},
         1,
         64},
        {"model.heads",
         kInteger,
         "transformer only: parts of the width that attend by themselves; the width is a multiple of it.",
         RINGSIDE_SLOT(model.heads),
         {},
         1,
         256},
        {"model.dropout",
         kReal,
         "transformer only: part of the values that is dropped at random in each training step, against overfitting; 0 "
         "is off.",
         RINGSIDE_SLOT(model.dropout),
         {},
         0,
         0.95},
        {"model.layers", kLayerList,
         "layers only: one after the other, as nn.Sequential. linear (out), conv2d (out, kernel, stride, padding, "
         "bias), max_pool2d (kernel), global_average_pool, relu, gelu, layer_norm, batch_norm2d, dropout (p), flatten, "
         "residual (layers, shortcut); for text embedding (out), position_embedding, attention (heads). The last "
         "linear may leave out \"out\".",
         RINGSIDE_SLOT(model.layers)},
    };
}

}  // namespace ringside
