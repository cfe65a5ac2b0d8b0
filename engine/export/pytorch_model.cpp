// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "export/pytorch_pieces.h"
#include "model/model_description.h"

namespace ringside {
namespace {

using Layers = std::vector<LayerDescription>;

constexpr const char* kGlobalAveragePool = R"(
class GlobalAveragePool(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))

)";

constexpr const char* kResidual = R"(
class Residual(nn.Module):
    def __init__(self, body, shortcut=None):
        super().__init__()
        self.body, self.shortcut = body, shortcut

    def forward(self, x):
        return self.body(x) + (self.shortcut(x) if self.shortcut else x)

)";

constexpr const char* kResidualCnn = R"(
class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        shortcut = self.downsample(x) if self.downsample else x
        x = functional.relu(self.bn1(self.conv1(x)))
        return functional.relu(self.bn2(self.conv2(x)) + shortcut)


class ResidualCNN(nn.Module):
    def __init__(self, channels, classes, width, depth):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.layer1 = self.stage(width, width, depth, stride=1)
        self.layer2 = self.stage(width, 2 * width, depth, stride=2)
        self.layer3 = self.stage(2 * width, 4 * width, depth, stride=2)
        self.fc = nn.Linear(4 * width, classes)

    def stage(self, inputs, outputs, depth, stride):
        return nn.Sequential(BasicBlock(inputs, outputs, stride),
                             *(BasicBlock(outputs, outputs, 1) for _ in range(depth - 1)))

    def forward(self, x):
        x = functional.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean((2, 3)))


def build_model():
    return ResidualCNN()";

bool anyOf(const Layers& layers, LayerKind kind) {
    for (const LayerDescription& layer : layers) {
        if (layer.kind == kind || anyOf(layer.body, kind) || anyOf(layer.shortcut, kind)) return true;
    }
    return false;
}

std::string module(const LayerDescription& layer);

std::string chained(const Layers& layers) {
    std::string text = "nn.Sequential(";
    for (std::size_t i = 0; i < layers.size(); ++i) text += (i == 0 ? "" : ", ") + module(layers[i]);
    return text + ")";
}

std::string module(const LayerDescription& layer) {
    if (layer.kind == LayerKind::kGlobalAveragePool) return "GlobalAveragePool()";
    if (layer.kind != LayerKind::kResidual) return "nn." + layer.text();
    return "Residual(" + chained(layer.body) + (layer.shortcut.empty() ? "" : ", " + chained(layer.shortcut)) + ")";
}

// The mlp's own flattening is done where the data is loaded, so that its parameters keep PyTorch's usual names.
std::string sequential(const Layers& layers, bool ownFlatten) {
    std::string text;
    if (anyOf(layers, LayerKind::kGlobalAveragePool)) text += kGlobalAveragePool;
    if (anyOf(layers, LayerKind::kResidual)) text += kResidual;
    text += "\ndef build_model():\n    return nn.Sequential(\n";
    for (const LayerDescription& layer : layers) {
        if (layer.kind == LayerKind::kFlatten && !ownFlatten) continue;
        text += "        " + module(layer) + ",\n";
    }
    return text + "    )\n";
}

std::string residualCnn(const ModelConfig& config, const Dataset& data) {
    return std::string(kResidualCnn) + "(" + std::to_string(data.shape().channels) + ", " +
           std::to_string(modelOutputs(data)) + ", width=" + std::to_string(config.width) +
           ", depth=" + std::to_string(config.depth) + ")\n";
}

// class NAME with the layers that have parameters, and what forward() does with x.
std::string moduleClass(const std::string& name, const Layers& layers, const std::string& forward) {
    std::string text = "\nclass " + name + "(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
    for (const LayerDescription& layer : layers) {
        if (layer.parameters() > 0) text += "        self." + layer.name + " = " + module(layer) + "\n";
    }
    return text + "\n    def forward(self, x):\n" + forward + "\n\ndef build_model():\n    return " + name + "()\n";
}

constexpr const char* kSimpleCnnForward =
    R"(        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        x = functional.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)
)";

}  // namespace

bool takesRows(const ModelConfig& config) {
    return config.kind == "mlp" || config.kind == "toy_linear";
}

Result<PythonModel> pythonModel(const ModelConfig& config, const Dataset& data) {
    const Result<ModelDescription> model = describeModel(config, data);
    if (!model) return model.problem();
    const Layers& layers = model.value().layers;
    if (anyOf(layers, LayerKind::kDropout))
        return Problem{"model", "has dropout, which draws other numbers in PyTorch, so that no loss would be the same",
                       "leave it out"};
    PythonModel python{.hasBuffers = anyOf(layers, LayerKind::kBatchNorm2d)};
    if (config.kind == "mlp") {
        python.definition = sequential(layers, false);
    } else if (config.kind == "layers") {
        python.definition = sequential(layers, true);
    } else if (config.kind == "toy_linear") {
        python.definition = moduleClass("ToyModel", layers, "        return self.linear(x)\n");
    } else if (config.kind == "simple_cnn") {
        python.definition = moduleClass("SimpleCNN", layers, kSimpleCnnForward);
    } else if (config.kind == "residual_cnn") {
        python.definition = residualCnn(config, data);
    } else {
        return Problem{"model.kind",
                       "is " + config.kind + ", which predicts at every character, and scripts count whole samples",
                       "choose mlp, toy_linear, simple_cnn, residual_cnn or layers"};
    }
    return python;
}

}  // namespace ringside
