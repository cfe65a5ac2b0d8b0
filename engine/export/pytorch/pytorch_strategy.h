// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// What of the exported script depends on how the ranks share the training, as Python text.
struct PythonStrategy {
    std::map<std::string, std::string, std::less<>> pieces = {};  // of the template, by name
    std::string readers = {};                                     // ", num_replicas=..., rank=..." of a sampler
    std::string trainStep = {};                                   // the head of train_epoch()'s loop
    std::string optimizer = {};                                   // that updates the weights
    std::string modelFunctions = {};                              // behind the model's definition
};

// The problem says what PyTorch has no counterpart of, and what to do.
Result<PythonStrategy> pythonStrategy(const RunConfig& config, const DataSplit& data, bool hasBuffers);

}  // namespace ringside
