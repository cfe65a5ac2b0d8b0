// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "data/readers/array_file.h"
#include "data/sets/common/array_set.h"
#include "export/pytorch/pytorch_data.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"

namespace ringside {
namespace {

using std::filesystem::path;

// Paths of the files with the samples and labels of the training part or of the validation part.
struct PartFiles {
    path samples;
    path labels;
    std::string text(const path& directory) const {
        return pythonText(samples.lexically_proximate(directory).string()) + ", " +
               pythonText(labels.lexically_proximate(directory).string());
    }
};

std::string cifarFiles(const std::vector<path>& files) {
    std::string text;
    for (const path& file : files) text += (text.empty() ? "" : ", ") + pythonText(file.filename().string());
    return "[" + text + "]";
}

bool isFile(const path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored);
}

// Returns the CIFAR batch files of a directory, sorted by name.
std::vector<path> batchesIn(const path& directory, bool fine) {
    std::vector<path> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
        const std::string name = entry.path().filename().string();
        const bool wanted = fine ? name == "train.bin" : name.starts_with("data_batch_") && name.ends_with(".bin");
        if (wanted && isFile(entry.path())) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace

Result<PythonData> pythonArrays(const PythonDataRequest& request) {
    std::error_code ignored;
    PartFiles training{request.path, request.labels};
    if (std::filesystem::is_directory(request.path, ignored)) training.samples = *findSamplesFile(request.path);
    if (training.labels.empty()) training.labels = *guessLabelsFile(training.samples);
    std::optional<PartFiles> test;
    if (const auto samples = request.labels.empty() ? guessTestFile(training.samples) : std::nullopt) {
        if (const auto labels = guessLabelsFile(*samples)) test = PartFiles{*samples, *labels};
    }
    auto array = ArrayFile::open(training.samples);
    if (!array) return array.problem();
    const bool pixels = array.value().header.type == ElementType::kU8;
    const bool channelsLast = layoutOf(array.value().header.shape).channelsLast;
    const bool classes = request.data.training->classCount() > 0;
    const path directory = training.samples.parent_path();

    std::string text = pythonSamples(pixels) + pythonPiece("read_bytes") + pythonPiece("read_array") +
                       "\ndef read_part(samples, labels):\n";
    text += std::string("    x = read_array(samples).astype(\"") + (pixels ? "uint8" : "float32") + "\")" +
            (channelsLast ? ".transpose(0, 3, 1, 2).copy()  # channels first" : "") + "\n";
    text += classes ? "    y = read_array(labels).astype(\"int64\").reshape(-1)\n"
                    : "    y = read_array(labels).astype(\"float32\").reshape(len(x), -1)\n";
    text += "    return Samples(torch.from_numpy(x).reshape(-1, *" + pythonShape(request) +
            "), torch.from_numpy(y))\n\n\ndef load_data(path):\n"
            "    \"\"\"path is the directory where the files lie.\"\"\"\n";
    const auto part = [&](const PartFiles& files) {
        return "read_part(*(path / name for name in [" + files.text(directory) + "]))";
    };
    text += test ? "    training = " + part(training) + "\n    return training, " + part(*test) + "\n"
                 : "    return " + part(training) + "\n";
    return PythonData{.function = text,
                      .path = "pathlib.Path(" + pythonText(directory.string()) + ")",
                      .imports = {"gzip", "io", "numpy"},
                      .hasValidation = test.has_value()};
}

Result<PythonData> pythonCifar(const PythonDataRequest& request) {
    const bool fine = request.config.kind == DatasetKind::kCifar100;
    std::error_code ignored;
    path directory = request.path.parent_path();
    std::vector<path> training = {request.path};
    std::vector<path> test;
    if (std::filesystem::is_directory(request.path, ignored)) {
        directory = request.path;
        if (batchesIn(directory, fine).empty()) directory /= fine ? "cifar-100-binary" : "cifar-10-batches-bin";
        training = batchesIn(directory, fine);
        const path batch = directory / (fine ? "test.bin" : "test_batch.bin");
        if (isFile(batch)) test = {batch};
    }
    const std::string labelBytes = fine ? "2" : "1";
    std::string text = pythonSamples(true) + pythonPiece("read_bytes") + "\ndef read_part(files):\n" +
                       (fine ? "    \"\"\"Records of two labels, coarse and fine, and 3,072 pixels.\"\"\"\n"
                             : "    \"\"\"Records of a label and 3,072 pixels.\"\"\"\n") +
                       "    content = b\"\".join(read_bytes(file) for file in files)\n"
                       "    rows = torch.frombuffer(bytearray(content), dtype=torch.uint8).reshape(-1, " +
                       labelBytes + " + 3072)\n    return Samples(rows[:, " + labelBytes + ":].reshape(-1, *" +
                       pythonShape(request) + "), rows[:, " + (fine ? "1" : "0") +
                       "].long())\n\n\ndef load_data(path):\n"
                       "    \"\"\"path is the directory where the files lie.\"\"\"\n";
    const auto part = [](const std::vector<path>& files) {
        return "read_part([path / name for name in " + cifarFiles(files) + "])";
    };
    text += test.empty() ? "    return " + part(training) + "\n"
                         : "    training = " + part(training) + "\n    return training, " + part(test) + "\n";
    return PythonData{.function = text,
                      .path = "pathlib.Path(" + pythonText(directory.string()) + ")",
                      .imports = {"gzip"},
                      .hasValidation = !test.empty()};
}

PythonData pythonImageFolder(const PythonDataRequest& request) {
    const SampleShape shape = request.data.training->shape();
    const std::string size = std::string("(") + std::to_string(shape.width) + ", " + std::to_string(shape.height) + ")";
    std::string text = pythonPiece("images", {{"size", size}, {"flat", request.flat ? ".flatten()" : ""}});
    path validation;
    std::error_code ignored;
    for (const char* name : {"test", "valid", "validation", "val"}) {
        const bool is = std::filesystem::is_directory(request.path / "train", ignored) &&
                        std::filesystem::is_directory(request.path / name, ignored);
        if (is) validation = name;
    }
    text += validation.empty() ? "    return checked(Images(path))\n"
                               : "    return checked(Images(path / \"train\")), Images(path / " +
                                     pythonText(validation.string()) + ")\n";
    return {.function = text,
            .path = "pathlib.Path(" + pythonText(request.path.string()) + ")",
            .imports = {"numpy", "PIL"},
            .hasValidation = !validation.empty()};
}

}  // namespace ringside
