// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Python text that loads the samples in the exported script.
struct PythonData {
    std::string function = {};           // definition of load_data(path), which returns the training samples, or the
                                         // pair (training, validation) if hasValidation is true
    std::string standardize = {};        // lines inside split() that standardize the features
    std::string path = "None";           // default of --data, a Python expression; "None" if no file is read
    std::set<std::string> imports = {};  // modules and packages that the functions import: "csv", "numpy"
    bool hasValidation = false;          // true: load_data returns the pair (training, validation)
    std::string file = {};               // content of a data file to write beside the script; empty: none
};

// Input of the functions that generate the script's Python code for one kind of data.
struct PythonDataRequest {
    const DatasetConfig& config;
    const DataSplit& data;
    std::filesystem::path path;    // absolute path of the data set
    std::filesystem::path labels;  // absolute path of the file of the labels; empty if labels_path is not set
    bool flat = true;              // true: the model takes rows; false: images (channels, height, width)
    std::string dataName;          // name of the data file beside the script
};

// Returns the Python code that loads the data of the request, or a problem if a script cannot load them.
Result<PythonData> pythonData(const PythonDataRequest& request);

// Each of the following functions returns the Python code that loads one kind of data: tables, IDX or NumPy arrays,
// CIFAR files, image folders, synthetic data, or texts.
Result<PythonData> pythonTable(const PythonDataRequest& request);
Result<PythonData> pythonArrays(const PythonDataRequest& request);
Result<PythonData> pythonCifar(const PythonDataRequest& request);
PythonData pythonImageFolder(const PythonDataRequest& request);
Result<PythonData> pythonSynthetic(const PythonDataRequest& request);
PythonData pythonCharacterData(const PythonDataRequest& request);

// Returns the sample shape as a Python tuple: "(3, 32, 32)" for images, "(64,)" for rows.
std::string pythonShape(const PythonDataRequest& request);
// Returns the Python class Samples. bytes: true if the values are bytes, which the class scales to 0 to 1.
std::string pythonSamples(bool bytes);

}  // namespace ringside
