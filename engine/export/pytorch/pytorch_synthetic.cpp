// SPDX-License-Identifier: Apache-2.0
#include "data/sets/synthetic/synthetic_shapes.h"
#include "export/pytorch/pytorch_data.h"
#include "export/pytorch/pytorch_pieces.h"

namespace ringside {
namespace {

std::string begin(const char* sentence) {
    return pythonSamples(false) + "\ndef load_data(_):\n    \"\"\"" + sentence + "\"\"\"\n";
}

std::string regression(const DatasetConfig& config) {
    const std::string size = std::to_string(config.size);
    return begin("Random numbers: nothing to read, and nothing to learn.") + "    torch.manual_seed(" +
           std::to_string(config.seed) + ")\n    x = torch.randn(" + size + ", " + std::to_string(config.features) +
           ")\n    return Samples(x, torch.randn(" + size + ", " + std::to_string(config.targets) + "))\n";
}

std::string labels(const DatasetConfig& config) {
    if (config.shape != SyntheticShape::kImbalanced) {
        return "    labels = torch.arange(" + std::to_string(config.size) + ") % " + std::to_string(config.classes) +
               "\n";
    }
    const std::vector<std::int64_t> sizes = imbalancedSizes(config.size, config.classes);
    return "    sizes = torch.tensor(" + pythonList(sizes) +
           ")  # of the classes\n    labels = torch.arange(len(sizes)).repeat_interleave(sizes)\n";
}

std::string blobs(const DatasetConfig& config) {
    const std::string features = std::to_string(config.features);
    return begin("A round cloud of points for each class.") + labels(config) + "    torch.manual_seed(" +
           std::to_string(config.seed) + ")\n    centres = torch.randn(" + std::to_string(config.classes) + ", " +
           features + ")\n    return Samples(torch.randn(len(labels), " + features +
           ") + 3 * centres[labels], labels)\n";
}

std::string spirals(const DatasetConfig& config) {
    const std::string classes = std::to_string(config.classes);
    const std::int64_t perArm = (config.size + config.classes - 1) / config.classes;
    return begin("An arm for each class, from the origin one and a half turns outwards.") + labels(config) +
           "    torch.manual_seed(" + std::to_string(config.seed) +
           ")\n"
           "    x = torch.randn(len(labels), 2) * 0.03\n"
           "    for i in range(len(labels)):\n"
           "        radius = (i // " +
           classes + " + 1) / " + std::to_string(perArm) +
           "\n"
           "        angle = 2 * math.pi * (i % " +
           classes + " / " + classes +
           " + 1.5 * radius)\n"
           "        x[i] += torch.tensor([radius * math.cos(angle), radius * math.sin(angle)])\n"
           "    return Samples(x, labels)\n";
}

}  // namespace

Result<PythonData> pythonSynthetic(const PythonDataRequest& request) {
    const DatasetConfig& config = request.config;
    if (config.shape == SyntheticShape::kRegression) return PythonData{.function = regression(config)};
    if (config.shape == SyntheticShape::kSpirals) return PythonData{.function = spirals(config)};
    if (config.shape == SyntheticShape::kBlobs || config.shape == SyntheticShape::kImbalanced)
        return PythonData{.function = blobs(config)};
    return Problem{"dataset.shape",
                   "is " + textOf(config.shape) + ", whose images Ringside makes itself and PyTorch cannot",
                   "choose regression, blobs, spirals or imbalanced"};
}

}  // namespace ringside
