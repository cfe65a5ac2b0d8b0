// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_description.h"

namespace ringside {

struct RunConfig;
struct OptimizerConfig;

// Row of the summary: a layer, or the total in the last row. The numbers of a residual are the sums of its layers,
// which follow in rows of their own.
struct ModelSummaryRow {
    int depth = 0;  // nesting depth of the layer
    std::string layer = {};
    std::string output = {};  // output shape of one sample
    std::int64_t parameters = 0;
    std::int64_t flops = 0;        // FLOPs of a forward pass of one sample
    std::int64_t values = 0;       // number of values per sample that the forward pass keeps in memory
    std::int64_t memoryBytes = 0;  // memory per rank in training, in bytes
    bool isHeading = false;        // true for a row without numbers

    bool operator==(const ModelSummaryRow&) const = default;
};

// Table of the layers of a model, with notes.
struct ModelSummary {
    std::vector<ModelSummaryRow> rows;
    std::vector<std::string> notes;  // sentences that explain the numbers and the memory of each rank
};

// Summarizes a model that is trained with this configuration.
ModelSummary summarizeModel(const ModelDescription& model, const RunConfig& config);

// Returns the rows as a table for a terminal, then the notes. Lines end with '\n'.
std::string summaryText(const ModelSummary& summary);

// Returns the memory per rank for weights, gradients and optimizer state, in bytes.
std::int64_t parameterBytes(const ModelDescription& model, const OptimizerConfig& optimizer);

}  // namespace ringside
