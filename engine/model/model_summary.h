// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_description.h"

namespace ringside {

struct RunConfig;
struct OptimizerConfig;

// A layer, or (the last one) all of them. Of a residual the numbers are those of the layers in it, which follow.
struct ModelSummaryRow {
    int depth = 0;  // of nesting
    std::string layer = {};
    std::string output = {};  // its shape, of one sample
    std::int64_t parameters = 0;
    std::int64_t flops = 0;        // of one sample on the way forward
    std::int64_t values = 0;       // that one sample leaves in memory on the way forward
    std::int64_t memoryBytes = 0;  // on each rank, in training
    bool isHeading = false;        // without numbers

    bool operator==(const ModelSummaryRow&) const = default;
};

struct ModelSummary {
    std::vector<ModelSummaryRow> rows;
    std::vector<std::string> notes;  // sentences: what the numbers mean, and what each rank needs
};

ModelSummary summarizeModel(const ModelDescription& model, const RunConfig& config);

// For a terminal: the rows as a table, then the notes. Lines end with '\n'.
std::string summaryText(const ModelSummary& summary);

std::string memoryText(std::int64_t bytes);  // "95.1 KiB"

// Bytes on each rank for weights, their gradients and what the optimizer keeps of each.
std::int64_t parameterBytes(const ModelDescription& model, const OptimizerConfig& optimizer);

}  // namespace ringside
