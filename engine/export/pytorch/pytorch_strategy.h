// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Parts of the exported script that depend on the parallel strategy, as Python text.
struct PythonStrategy {
    std::map<std::string, std::string, std::less<>> pieces = {};  // values of the template's marks, by name
    // Arguments of a sampler for the data-parallel group, such as ", num_replicas=..., rank=...".
    std::string readers = {};
    std::string trainStep = {};       // beginning of the loop of train_epoch()
    std::string optimizer = {};       // expression that creates the optimizer
    std::string modelFunctions = {};  // Python functions that the strategy needs, after the model's definition
};

// Returns a problem for a setting without a counterpart in PyTorch, with a remedy.
Result<PythonStrategy> pythonStrategy(const RunConfig& config, const DataSplit& data, bool hasBuffers);

}  // namespace ringside
