// SPDX-License-Identifier: Apache-2.0
#include "model/model_summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>
#include <vector>

#include "base/text/number_text.h"
#include "config/optimizer_state.h"

namespace ringside {

namespace {

constexpr auto kFloatBytes = static_cast<std::int64_t>(sizeof(float));

using Cells = std::array<std::string, 6>;

// Returns the number of values that training stores per weight: the weight, its gradient and the optimizer state.
std::int64_t valuesPerParameter(const OptimizerConfig& optimizer) {
    return 2 + static_cast<std::int64_t>(stateTensors(optimizer).size());
}

class RowMaker {
  public:
    RowMaker(const RunConfig& config, std::vector<ModelSummaryRow>& rows) : m_config(config), m_rows(rows) {}

    void add(const std::vector<LayerDescription>& layers, int depth) {
        for (const LayerDescription& layer : layers) {
            add(layer, layer.text(), layer.output.text(), depth);
            add(layer.body, depth + 1);
            if (!layer.shortcut.empty())
                m_rows.push_back({.depth = depth + 1, .layer = "shortcut:", .isHeading = true});
            add(layer.shortcut, depth + 2);
        }
    }

    template <class Counted>  // Counted: LayerDescription or ModelDescription
    void add(const Counted& counted, const std::string& name, const std::string& output, int depth) {
        const std::int64_t parameters = counted.parameters();
        const std::int64_t values = counted.activations();
        m_rows.push_back({.depth = depth,
                          .layer = name,
                          .output = output,
                          .parameters = parameters,
                          .flops = counted.flops(),
                          .values = values,
                          .memoryBytes = kFloatBytes * (parameters * valuesPerParameter(m_config.optimizer) +
                                                        2 * values * m_config.loader.batchSize)});
    }

  private:
    const RunConfig& m_config;
    std::vector<ModelSummaryRow>& m_rows;
};

Cells cellsOf(const ModelSummaryRow& row) {
    const std::string name = std::string(static_cast<std::size_t>(2 * row.depth), ' ') + row.layer;
    if (row.isHeading) return {name, "", "", "", "", ""};
    return {name,
            row.output,
            grouped(row.parameters),
            grouped(row.flops),
            grouped(row.values),
            memoryText(row.memoryBytes)};
}

// Formats a table: text is left-aligned, numbers are right-aligned, with two spaces between columns.
std::string table(const std::vector<Cells>& rows) {
    std::array<std::size_t, std::tuple_size_v<Cells>> widths{};
    for (const Cells& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const Cells& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string gap(widths[i] - row[i].size(), ' ');
            line += (i > 0 ? "  " : "") + (i < 2 ? row[i] + gap : gap + row[i]);
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

}  // namespace

std::int64_t parameterBytes(const ModelDescription& model, const OptimizerConfig& optimizer) {
    return model.parameters() * kFloatBytes * valuesPerParameter(optimizer);
}

ModelSummary summarizeModel(const ModelDescription& model, const RunConfig& config) {
    ModelSummary summary;
    RowMaker rows(config, summary.rows);
    rows.add(model.layers, 0);
    rows.add(model, "All", "", 0);
    const std::int64_t batch = config.loader.batchSize;
    const std::int64_t values = model.activations() * batch * kFloatBytes;
    summary.notes = {
        "FLOPs and activations are those of the forward pass for one sample; a training step needs about three times "
        "the FLOPs.",
        "Memory on each rank: " + memoryText(parameterBytes(model, config.optimizer)) +
            " for weights, gradients and optimizer state (" + textOf(config.optimizer.kind) + "), " +
            memoryText(values) + " for the activations of a batch of " + grouped(batch) +
            " and as much for their gradients, without the input batch."};
    return summary;
}

std::string summaryText(const ModelSummary& summary) {
    std::vector<Cells> cells{{"Layer", "Output", "Parameters", "FLOPs", "Values", "Memory"}};
    for (const ModelSummaryRow& row : summary.rows) cells.push_back(cellsOf(row));
    std::string text = table(cells);
    for (const std::string& note : summary.notes) text += note + '\n';
    return text;
}

}  // namespace ringside
