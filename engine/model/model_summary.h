// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/model_description.h"

namespace ringside {

// A line for each layer: what it is, its output, its parameters, and what a sample costs on the way forward; then what
// that takes in memory on each rank. Lines end with '\n'.
std::string modelSummary(const ModelDescription& model, const RunConfig& config);

// Bytes on each rank for weights, their gradients and what the optimizer keeps of each.
std::int64_t parameterBytes(const ModelDescription& model, const OptimizerConfig& optimizer);

}  // namespace ringside
