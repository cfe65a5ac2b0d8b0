// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "config/run_config.h"

namespace ringside {

struct DataSplit;

// An experiment as a script that needs only PyTorch, and the data file beside it.
struct PytorchScript {
    std::string text;
    std::string dataName;  // name of the data file beside the script; empty if the script reads other files or
                           // generates its data
    std::string data;
    std::string note = {};  // sentences about settings that the script does not carry over; empty if there are none
};

// Returns a script that trains like the experiment: the same samples for each rank, the same initial weights, the same
// update rule. scriptName ("train.py") is the name of its file. Stores all problems of the experiment in `all` if it is
// not null.
Result<PytorchScript> exportPytorch(const RunConfig& config, const std::filesystem::path& baseDirectory,
                                    const std::string& scriptName, Problems* all = nullptr);

// Exports an experiment whose data are already loaded.
Result<PytorchScript> exportPytorch(const RunConfig& config, const DataSplit& data,
                                    const std::filesystem::path& baseDirectory, const std::string& scriptName);

// Returns the problems that prevent an export and can be detected without the data.
Problems exportProblems(const RunConfig& config);

// Writes the script and its data file. Throws IoError; the script is removed if the data cannot be written.
void writePytorch(const PytorchScript& script, const std::filesystem::path& path);

}  // namespace ringside
