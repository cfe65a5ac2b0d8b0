// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "export/pytorch/pytorch_pieces.h"
#include "model/model_description.h"

namespace ringside {
namespace {

using Layers = std::vector<LayerDescription>;

constexpr const char* kGlobalAveragePool = R"(
class GlobalAveragePool(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))

)";

// Named as nn.Embedding names its weight.
constexpr const char* kPositionEmbedding = R"(
class PositionEmbedding(nn.Embedding):
    """Adds the embedding of each position."""

    def forward(self, x):
        return x + super().forward(torch.arange(x.shape[1], device=x.device))

)";

constexpr const char* kResidual = R"(
class Residual(nn.Module):
    def __init__(self, body, shortcut=None):
        super().__init__()
        self.body, self.shortcut = body, shortcut

    def forward(self, x):
        return self.body(x) + (self.shortcut(x) if self.shortcut else x)

)";

// Left out in training with the probability skip, as stochastic depth does; draws other numbers than Ringside.
constexpr const char* kSkippedResidual = R"(
class Residual(nn.Module):
    def __init__(self, body, shortcut=None, skip=0):
        super().__init__()
        self.body, self.shortcut, self.skip = body, shortcut, skip

    def forward(self, x):
        beside = self.shortcut(x) if self.shortcut else x
        if self.training and torch.rand(()) < self.skip:
            return beside
        return self.body(x) + beside

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
    return ResidualCNN)";

constexpr const char* kAttention = R"(
class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        batch, positions, width = x.shape
        q, k, v = self.qkv(x).view(batch, positions, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        later = torch.ones(positions, positions, dtype=torch.bool, device=x.device).triu(1)
        shares = scores.masked_fill(later, -math.inf).softmax(-1)
        return self.proj((shares @ v).transpose(1, 2).reshape(batch, positions, width))

)";

constexpr const char* kTransformer = R"(
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = CausalSelfAttention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x):
        x = x + self.dropout(self.attention(self.norm1(x)))
        return x + self.dropout(self.mlp(self.norm2(x)))


class Transformer(nn.Module):
    def __init__(self, words, positions, width, depth, heads):
        super().__init__()
        self.token_embedding = nn.Embedding(words, width)
        self.position_embedding = nn.Embedding(positions, width)
        self.dropout = nn.Dropout(DROPOUT)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        x = self.token_embedding(x) + self.position_embedding(torch.arange(x.shape[1], device=x.device))
        return self.head(self.norm(self.blocks(self.dropout(x))))


def build_model():
    return Transformer)";

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

// The mlp's own flattening is done where the data is loaded, so that its parameters keep PyTorch's usual names.
std::string sequential(const Layers& layers, bool ownFlatten) {
    std::string text;
    if (anyOf(layers, LayerKind::kGlobalAveragePool)) text += kGlobalAveragePool;
    if (anyOf(layers, LayerKind::kPositionEmbedding)) text += kPositionEmbedding;
    if (anyOf(layers, LayerKind::kAttention)) text += kAttention;
    if (anyOf(layers, LayerKind::kResidual)) text += skips(layers) ? kSkippedResidual : kResidual;
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

std::string transformer(const ModelConfig& config, const ModelTask& task) {
    return "\nDROPOUT = " + pythonNumber(config.dropout) + "\n\n" + kAttention + kTransformer + "(" +
           std::to_string(task.outputs) + ", " + std::to_string(task.sample[0]) +
           ", width=" + std::to_string(config.width) + ", depth=" + std::to_string(config.depth) +
           ", heads=" + std::to_string(config.heads) + ")\n";
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
        python.definition = moduleClass("SimpleCNN", layers, kSimpleCnnForward);
    } else if (config.kind == ModelKind::kResidualCnn) {
        python.definition = residualCnn(config, data);
    } else {
        python.definition = transformer(config, modelTask(data));
    }
    return python;
}

}  // namespace ringside
