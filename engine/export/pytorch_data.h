// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "config/run_config.h"
#include "data/dataset.h"

namespace ringside {

// How the exported script gets its samples, as Python text.
struct PythonData {
    std::string function;     // load_data(path), which returns features and labels (or targets)
    std::string standardize;  // lines inside split(), where features are brought to one scale
    std::string path;         // default of --data, an expression; "None" where nothing is read
    bool readsText = false;
    std::string file = {};  // content of a data file to be written beside the script; empty: none
};

// dataName is what a data file beside the script would be called.
Result<PythonData> pythonData(const DatasetConfig& config, const DataSplit& data,
                              const std::filesystem::path& baseDirectory, const std::string& dataName);

}  // namespace ringside
