// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// How the exported script gets its samples, as Python text.
struct PythonData {
    std::string function = {};           // load_data(path): the samples, or a pair when a part of its own validates
    std::string standardize = {};        // lines inside split(), where features are brought to one scale
    std::string path = "None";           // default of --data, an expression; "None" where nothing is read
    std::set<std::string> imports = {};  // modules and packages: "csv", "numpy"
    bool hasValidation = false;          // load_data gives the pair
    std::string file = {};               // content of a data file to be written beside the script; empty: none
};

// What the pieces for one kind of data need.
struct PythonDataRequest {
    const DatasetConfig& config;
    const DataSplit& data;
    std::filesystem::path path;    // the config's, absolute
    std::filesystem::path labels;  // the same of labels_path; empty where that is
    bool flat = true;              // the model takes rows; otherwise images (channels, height, width)
    std::string dataName;          // what a data file beside the script would be called
};

Result<PythonData> pythonData(const PythonDataRequest& request);

// One file each: tables; IDX, NumPy and CIFAR; folders of images; synthetic sets; texts.
Result<PythonData> pythonTable(const PythonDataRequest& request);
Result<PythonData> pythonArrays(const PythonDataRequest& request);
Result<PythonData> pythonCifar(const PythonDataRequest& request);
PythonData pythonImageFolder(const PythonDataRequest& request);
Result<PythonData> pythonSynthetic(const PythonDataRequest& request);
PythonData pythonCharacters(const PythonDataRequest& request);

// "(3, 32, 32)" for images, "(64,)" for rows.
std::string pythonShape(const PythonDataRequest& request);
// class Samples; bytes: the values are pixels and come out from 0 to 1.
std::string pythonSamples(bool bytes);

}  // namespace ringside
