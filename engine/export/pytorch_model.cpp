// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "export/pytorch_pieces.h"
#include "model/model_description.h"

namespace ringside {
namespace {

std::string module(const LayerDescription& layer) {
    return "nn." + layer.text();
}

// The mlp's own flattening is done where the data is loaded, so that its parameters keep PyTorch's usual names.
std::string sequential(const ModelDescription& model, bool ownFlatten) {
    std::string text = "\ndef build_model():\n    return nn.Sequential(\n";
    for (const LayerDescription& layer : model.layers) {
        if (layer.kind == LayerKind::kFlatten && !ownFlatten) continue;
        text += "        " + module(layer) + ",\n";
    }
    return text + "    )\n";
}

// class NAME with the layers that have parameters, and what forward() does with x.
std::string moduleClass(const std::string& name, const ModelDescription& model, const std::string& forward) {
    std::string text = "\nclass " + name + "(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
    for (const LayerDescription& layer : model.layers) {
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

Result<std::string> pythonModel(const ModelConfig& config, const Dataset& data) {
    const Result<ModelDescription> model = describeModel(config, data);
    if (!model) return model.problem();
    if (config.kind == "mlp") return sequential(model.value(), false);
    if (config.kind == "layers") return sequential(model.value(), true);
    if (config.kind == "toy_linear") {
        return moduleClass("ToyModel", model.value(), "        return self.linear(x)\n");
    }
    if (config.kind == "simple_cnn") return moduleClass("SimpleCNN", model.value(), kSimpleCnnForward);
    return Problem{"model.kind", "is " + config.kind + ", which cannot be exported to PyTorch",
                   "choose mlp, toy_linear, simple_cnn or layers"};
}

}  // namespace ringside
