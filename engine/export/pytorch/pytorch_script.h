// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "config/run_config.h"

namespace ringside {

struct DataSplit;

// One experiment as a script for plain PyTorch, and the data file that belongs beside it.
struct PytorchScript {
    std::string text;
    std::string dataName;  // empty: the data is elsewhere, or made up by the script
    std::string data;
    std::string note = {};  // sentences about limits of the script: what it does not carry over; empty: none
};

// The script that trains as this experiment does: the same samples for every rank, the same initial weights, the same
// update rule. scriptName ("train.py") is what it will be called. Everything found wrong goes to `all` too.
Result<PytorchScript> exportPytorch(const RunConfig& config, const std::filesystem::path& baseDirectory,
                                    const std::string& scriptName, Problems* all = nullptr);

// The same from data that are loaded already.
Result<PytorchScript> exportPytorch(const RunConfig& config, const DataSplit& data,
                                    const std::filesystem::path& baseDirectory, const std::string& scriptName);

// Returns why an experiment cannot be exported, as far as that is known without its data.
Problems exportProblems(const RunConfig& config);

// Writes the script and its data beside it; what cannot be written leaves no script. Throws IoError.
void writePytorch(const PytorchScript& script, const std::filesystem::path& path);

}  // namespace ringside
