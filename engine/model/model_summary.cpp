// SPDX-License-Identifier: Apache-2.0
#include "model/model_summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "base/number_text.h"

namespace ringside {

namespace {

using Row = std::array<std::string, 5>;

std::string mebibytes(std::int64_t bytes) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.2f MiB", static_cast<double>(bytes) / (1 << 20));
    return text.data();
}

// Values that the optimizer keeps for each weight.
std::int64_t optimizerValues(const OptimizerConfig& optimizer) {
    if (optimizer.kind != "sgd") return 2;
    return optimizer.momentum > 0 ? 1 : 0;
}

void addRows(const std::vector<LayerDescription>& layers, const std::string& indent, std::vector<Row>& rows) {
    for (const LayerDescription& layer : layers) {
        rows.push_back({indent + layer.text(), layer.output.text(), grouped(layer.parameters()), grouped(layer.flops()),
                        grouped(layer.output.count())});
        addRows(layer.body, indent + "  ", rows);
        if (!layer.shortcut.empty()) rows.push_back({indent + "  beside it:", "", "", "", ""});
        addRows(layer.shortcut, indent + "    ", rows);
    }
}

// Text to the left, numbers to the right, two spaces between columns.
std::string table(const std::vector<Row>& rows) {
    std::array<std::size_t, 5> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string gap(widths[i] - row[i].size(), ' ');
            text += (i > 0 ? "  " : "") + (i < 2 ? row[i] + gap : gap + row[i]);
        }
        text += '\n';
    }
    return text;
}

}  // namespace

std::int64_t parameterBytes(const ModelDescription& model, const OptimizerConfig& optimizer) {
    return model.parameters() * static_cast<std::int64_t>(sizeof(float)) * (2 + optimizerValues(optimizer));
}

std::string modelSummary(const ModelDescription& model, const RunConfig& config) {
    std::vector<Row> rows{{"Layer", "Output", "Parameters", "FLOPs", "Values"}};
    addRows(model.layers, "", rows);
    rows.push_back({"All", "", grouped(model.parameters()), grouped(model.flops()), grouped(model.activations())});
    const std::int64_t batch = config.loader.batchSize;
    const std::int64_t activations = model.activations() * batch * static_cast<std::int64_t>(sizeof(float));
    return table(rows) + "FLOPs and values are of one sample on the way forward; a training step takes about three " +
           "times the FLOPs.\nOn each rank: " + mebibytes(parameterBytes(model, config.optimizer)) +
           " for weights, gradients and " + config.optimizer.kind + ", " + mebibytes(activations) +
           " for the values of a batch of " + grouped(batch) + " and as much for their gradients.\n";
}

}  // namespace ringside
