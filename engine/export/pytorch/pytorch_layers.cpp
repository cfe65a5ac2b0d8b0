// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_layers.h"
#include "export/pytorch/pytorch_template.h"

#include <algorithm>

#include "base/errors/errors.h"

namespace ringside {
namespace {

std::size_t tensorsOf(const std::vector<LayerDescription>& layers);

std::size_t tensorsOf(const LayerDescription& layer) {
    switch (layer.kind) {
        case LayerKind::kLinear:
        case LayerKind::kLayerNorm:
        case LayerKind::kBatchNorm2d:
            return 2;
        case LayerKind::kConv2d:
            return layer.bias ? 2 : 1;
        case LayerKind::kEmbedding:
        case LayerKind::kPositionEmbedding:
            return 1;
        case LayerKind::kAttention:
            return 4;
        case LayerKind::kResidual:
            return tensorsOf(layer.body) + tensorsOf(layer.shortcut);
        case LayerKind::kMaxPool2d:
        case LayerKind::kGlobalAveragePool:
        case LayerKind::kReLU:
        case LayerKind::kGelu:
        case LayerKind::kDropout:
        case LayerKind::kFlatten:
            break;
    }
    return 0;
}

std::size_t tensorsOf(const std::vector<LayerDescription>& layers) {
    std::size_t count = 0;
    for (const LayerDescription& layer : layers) count += tensorsOf(layer);
    return count;
}

// Returns the Python expression for a module, given its name in the state_dict: "layer1.0" -> "network.layer1[0]".
std::string memberOf(const std::string& name) {
    const std::size_t dot = name.find('.');
    std::string text = "network.";
    text += name.substr(0, dot);
    if (dot == std::string::npos) return text;
    return text + "[" + name.substr(dot + 1) + "]";
}

std::string halfOfBlock(const LayerDescription& layer) {
    const std::string block = memberOf(layer.name);
    const bool attends =
        std::ranges::any_of(layer.body, [](const auto& one) { return one.kind == LayerKind::kAttention; });
    return attends ? "Beside(" + block + ".norm1, " + block + ".attention, network.dropout)"
                   : "Beside(" + block + ".norm2, " + block + ".mlp, network.dropout)";
}

std::string moduleOf(const LayerDescription& layer, bool isTransformer) {
    if (layer.kind == LayerKind::kGlobalAveragePool) return "GlobalAveragePool()";
    if (layer.kind == LayerKind::kPositionEmbedding) return "Positions(network.position_embedding)";
    if (layer.kind == LayerKind::kDropout) return "network.dropout";
    if (isTransformer && layer.kind == LayerKind::kResidual) return halfOfBlock(layer);
    return layer.name.empty() ? "nn." + layer.text() : memberOf(layer.name);
}

}  // namespace

bool skipsLayers(const std::vector<LayerDescription>& layers) {
    return std::ranges::any_of(layers, [](const LayerDescription& layer) {
        return layer.kind == LayerKind::kResidual &&
               (layer.probability > 0 || skipsLayers(layer.body) || skipsLayers(layer.shortcut));
    });
}

PythonLayers pythonLayers(const ModelConfig& config, const ModelDescription& model) {
    PythonLayers result;
    const bool isSequential = config.kind == ModelKind::kMlp || config.kind == ModelKind::kLayers;
    const bool isTransformer = config.kind == ModelKind::kTransformer;
    // The chain omits two kinds of layers: the flatten layer of the MLP and the linear model, because the script
    // flattens the samples while loading; and the ReLU after each block of the residual CNN, because the Python block
    // has it.
    const bool flattened = config.kind == ModelKind::kMlp || config.kind == ModelKind::kToyLinear;
    const bool ownReLU = config.kind == ModelKind::kResidualCnn;
    std::string list;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const LayerDescription& layer = model.layers[i];
        const bool afterBlock = i > 0 && model.layers[i - 1].kind == LayerKind::kResidual;
        if (flattened && layer.kind == LayerKind::kFlatten) continue;
        if (ownReLU && afterBlock && layer.kind == LayerKind::kReLU) continue;
        result.tensors.push_back(tensorsOf(layer));
        list += "        " + moduleOf(layer, isTransformer) + ",\n";
    }
    if (isTransformer) result.definition += pythonPiece("transformer_parts");
    if (ownReLU) result.definition += pythonPiece("global_average_pool");
    result.definition += "\ndef layers_of(network):\n    \"\"\"The model as a chain of modules.\"\"\"\n";
    result.definition += isSequential ? "    return list(network)\n" : "    return [\n" + list + "    ]\n";
    return result;
}

// A module without parameters belongs to the stage of the module before it. The results would be the same in the next
// stage.
Result<std::vector<std::int64_t>> pythonCuts(const PythonLayers& layers,
                                             const std::vector<std::size_t>& tensorsOfStage) {
    std::vector<std::int64_t> cuts = {0};
    std::size_t next = 0;
    for (std::size_t stage = 0; stage < tensorsOfStage.size(); ++stage) {
        if (tensorsOfStage[stage] == 0)
            return Problem{
                "pipeline.split",
                "leaves stage " + std::to_string(stage) + " without parameters, and PyTorch's stages must have some",
                "set pipeline.split so that each stage has a layer with parameters"};
        std::size_t taken = 0;
        while (next < layers.tensors.size() && (taken < tensorsOfStage[stage] || layers.tensors[next] == 0))
            taken += layers.tensors[next++];
        RINGSIDE_ASSERT(taken == tensorsOfStage[stage]);
        cuts.push_back(static_cast<std::int64_t>(next));
    }
    return cuts;
}

}  // namespace ringside
