// SPDX-License-Identifier: Apache-2.0
#include "config/field_tables.h"

namespace ringside {
namespace {

// clang-format off
constexpr ConfigField kDataFields[] = {
    text("name", RINGSIDE_SLOT(name),
        "Name of this experiment. The run directory is named after it."),

    choice("dataset.kind", RINGSIDE_CHOICE(dataset.kind),
        "Source of the samples: the built-in handwritten digits, a file (CSV table, IDX as used by MNIST, NumPy "
        "array), CIFAR's binary files, a folder of images, synthetic data, or a text split into pieces. external: the "
        "data of a watched script. Only its dataset.size is known, so no run can train on it."),
    file("dataset.path", RINGSIDE_SLOT(dataset.path),
        "File or directory with the samples. A relative path starts at the directory of the experiment file. The "
        "features of a CSV file are standardised to mean 0 and variance 1 over the training samples."),
    file("dataset.labels_path", RINGSIDE_SLOT(dataset.labelsPath),
        "Data sets idx and npy only: file with the labels. Empty: a file with the usual name beside the samples."),
    text("dataset.label_column", RINGSIDE_SLOT(dataset.labelColumn),
        "The CSV column to predict, by name or by number counted from 0. Empty: the last column."),
    choice("dataset.header", RINGSIDE_CHOICE(dataset.header),
        "Data set csv only: whether the first line contains the column names. auto: yes if a column has a text in "
        "the first line and a number in the second line."),
    choice("dataset.missing", RINGSIDE_CHOICE(dataset.missing),
        "Data set csv only: treatment of cells that are empty or contain ?, -, NA, N/A, NaN, null or None. refuse: "
        "report an error. drop: omit the row. mean: use the mean of the column over the training samples."),
    real("dataset.validation_fraction", RINGSIDE_SLOT(dataset.validationFraction), Within{0.001, 0.9},
        "Fraction of the samples that is kept for validation and never trained on. 0.2 is a common choice."),
    integer("dataset.split_seed", RINGSIDE_SLOT(dataset.splitSeed),
        "Seed of the permutation that selects the validation samples. Use the same seed in runs that you compare."),
    integer("dataset.image_size", RINGSIDE_SLOT(dataset.imageSize), Within{0, 4096},
        "Data set image_folder and synthetic shape imagenet only: side length in pixels to which every image is "
        "resized. 0: the size of the first image (32 for imagenet)."),
    choice("dataset.shape", RINGSIDE_CHOICE(dataset.shape),
        "Synthetic data only: kind of samples. regression: random numbers as from torch.randn. blobs, spirals: "
        "classes in clouds or arms. imbalanced: the largest class has 100 times as many samples as the smallest. "
        "imagenet: 1,281,167 images of 1,000 classes."),
    integer("dataset.classes", RINGSIDE_SLOT(dataset.classes), Within{2, 10000},
        "Synthetic shapes blobs, spirals and imbalanced only: number of classes."),
    integer("dataset.size", RINGSIDE_SLOT(dataset.size), Within{2, kMaxInt32},
        "Number of samples of synthetic data, including those kept for validation, or of the data of a watched "
        "script."),
    integer("dataset.features", RINGSIDE_SLOT(dataset.features), Within{1, 1000000},
        "Synthetic data only: number of input values per sample."),
    integer("dataset.targets", RINGSIDE_SLOT(dataset.targets), Within{1, 1000000},
        "Synthetic shape regression only: number of values to predict per sample."),
    integer("dataset.seed", RINGSIDE_SLOT(dataset.seed),
        "Synthetic data only: seed of the random numbers."),
    integer("dataset.context_length", RINGSIDE_SLOT(dataset.contextLength), Within{1, 4096},
        "Data set text only: number of characters per sample. The model predicts each character from the characters "
        "before it in the sample."),

    choice("model.kind", RINGSIDE_CHOICE(model.kind),
        "Network that is trained. mlp: fully connected layers with ReLU between them. toy_linear: one linear layer, as "
        "in PyTorch's tutorials. simple_cnn: two convolutions with pooling and two linear layers, for images of any "
        "size. residual_cnn: a deep CNN with batch norm and shortcuts. transformer: predicts each next character of a "
        "text. layers: the list in model.layers."),
    integerList("model.hidden", RINGSIDE_SLOT(model.hidden), Within{1, 65536},
        "Model mlp only: width of each hidden layer. More or wider layers mean more parameters and more bytes to "
        "all-reduce."),
    integer("model.width", RINGSIDE_SLOT(model.width), Within{1, 4096},
        "Model residual_cnn: number of channels of the first stage, doubled in the second and third. transformer: "
        "size of the embedding of a character."),
    integer("model.depth", RINGSIDE_SLOT(model.depth), Within{1, 64},
        "Model residual_cnn: number of blocks in each of the three stages. transformer: number of blocks, each with "
        "attention and an MLP."),
    integer("model.heads", RINGSIDE_SLOT(model.heads), Within{1, 256},
        "Model transformer only: number of attention heads. model.width must be a multiple of this number."),
    real("model.dropout", RINGSIDE_SLOT(model.dropout), Within{0, 0.95},
        "Model transformer only: fraction of the values that is dropped at random in each training step, against "
        "overfitting. 0 is off."),
    layerList("model.layers", RINGSIDE_SLOT(model.layers),
        "Model layers only: list of layers in order, as in nn.Sequential. The kinds are linear (out), conv2d (out, kernel, "
        "stride, padding, bias), max_pool2d (kernel), global_average_pool, relu, gelu, layer_norm, batch_norm2d, "
        "dropout (p), flatten, and residual (layers, shortcut). For text there are also embedding (out), "
        "position_embedding and attention (heads). The last linear layer may omit \"out\"."),
};
// clang-format on

}  // namespace

std::span<const ConfigField> datasetAndModelFields() {
    return kDataFields;
}

}  // namespace ringside
