// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"
#include "model/model_description.h"

namespace ringside {
namespace {

using Layers = std::vector<LayerDescription>;

bool anyOf(const Layers& layers, LayerKind kind) {
    for (const LayerDescription& layer : layers) {
        if (layer.kind == kind || anyOf(layer.body, kind) || anyOf(layer.shortcut, kind)) return true;
    }
    return false;
}

bool skips(const Layers& layers) {
    return std::ranges::any_of(layers, [](const LayerDescription& layer) {
        return layer.kind == LayerKind::kResidual &&
               (layer.probability > 0 || skips(layer.body) || skips(layer.shortcut));
    });
}

std::string module(const LayerDescription& layer);

std::string chained(const Layers& layers) {
    std::string text = "nn.Sequential(";
    for (std::size_t i = 0; i < layers.size(); ++i) text += (i == 0 ? "" : ", ") + module(layers[i]);
    return text + ")";
}

std::string module(const LayerDescription& layer) {
    if (layer.kind == LayerKind::kGlobalAveragePool) return "GlobalAveragePool()";
    if (layer.kind == LayerKind::kPositionEmbedding || layer.kind == LayerKind::kAttention) return layer.text();
    if (layer.kind != LayerKind::kResidual) return "nn." + layer.text();
    const std::string skip = layer.probability > 0 ? ", skip=" + pythonNumber(layer.probability) : "";
    return "Residual(" + chained(layer.body) + (layer.shortcut.empty() ? "" : ", " + chained(layer.shortcut)) + skip +
           ")";
}

// Returns an nn.Sequential as Python text. It contains no flattening for the mlp, because the script flattens the
// samples while loading. Without nn.Flatten the parameters have the names of Ringside's checkpoints ("0.weight").
std::string sequential(const Layers& layers, bool ownFlatten) {
    std::string text;
    if (anyOf(layers, LayerKind::kGlobalAveragePool)) text += pythonPiece("global_average_pool");
    if (anyOf(layers, LayerKind::kPositionEmbedding)) text += pythonPiece("position_embedding");
    if (anyOf(layers, LayerKind::kAttention)) text += pythonPiece("attention");
    if (anyOf(layers, LayerKind::kResidual))
        text += skips(layers) ? pythonPiece("skipped_residual") : pythonPiece("residual");
    text += "\ndef build_model():\n    return nn.Sequential(\n";
    for (const LayerDescription& layer : layers) {
        if (layer.kind == LayerKind::kFlatten && !ownFlatten) continue;
        text += "        " + module(layer) + ",\n";
    }
    return text + "    )\n";
}

std::string residualCnn(const ModelConfig& config, const Dataset& data) {
    return pythonPiece(
        "residual_cnn",
        {{"arguments", std::to_string(data.shape().channels) + ", " + std::to_string(modelOutputs(data)) +
                           ", width=" + std::to_string(config.width) + ", depth=" + std::to_string(config.depth)}});
}

std::string transformer(const ModelConfig& config, const ModelInterface& interface) {
    const std::string arguments = std::to_string(interface.outputs) + ", " + std::to_string(interface.sample[0]) +
                                  ", width=" + std::to_string(config.width) +
                                  ", depth=" + std::to_string(config.depth) + ", heads=" + std::to_string(config.heads);
    return "\nDROPOUT = " + pythonNumber(config.dropout) + "\n\n" + pythonPiece("attention") +
           pythonPiece("transformer", {{"arguments", arguments}});
}

// Returns "class NAME(nn.Module)" with the layers that have parameters; `forward` is the body of forward(x).
std::string moduleClass(const std::string& name, const Layers& layers, const std::string& forward) {
    std::string text = "\nclass " + name + "(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
    for (const LayerDescription& layer : layers) {
        if (layer.parameters() > 0) text += "        self." + layer.name + " = " + module(layer) + "\n";
    }
    return text + "\n    def forward(self, x):\n" + forward + "\n\ndef build_model():\n    return " + name + "()\n";
}

}  // namespace

bool takesRows(const ModelConfig& config) {
    return config.kind == ModelKind::kMlp || config.kind == ModelKind::kToyLinear;
}

Result<PythonModel> pythonModel(const ModelConfig& config, const Dataset& data) {
    const Result<ModelDescription> model = describeModel(config, data);
    if (!model) return model.problem();
    const Layers& layers = model.value().layers;
    PythonModel python{.hasBuffers = anyOf(layers, LayerKind::kBatchNorm2d),
                       .hasDropout = anyOf(layers, LayerKind::kDropout)};
    if (config.kind == ModelKind::kMlp) {
        python.definition = sequential(layers, false);
    } else if (config.kind == ModelKind::kLayers) {
        python.definition = sequential(layers, true);
    } else if (config.kind == ModelKind::kToyLinear) {
        python.definition = moduleClass("ToyModel", layers, "        return self.linear(x)\n");
    } else if (config.kind == ModelKind::kSimpleCnn) {
        python.definition = moduleClass("SimpleCNN", layers, pythonPiece("simple_cnn_forward"));
    } else if (config.kind == ModelKind::kResidualCnn) {
        python.definition = residualCnn(config, data);
    } else {
        python.definition = transformer(config, modelInterface(data));
    }
    return python;
}

}  // namespace ringside
