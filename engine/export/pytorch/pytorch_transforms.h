// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// The transforms of an experiment as Python text; all empty when it has none. They draw the same crops and flips.
struct PythonTransforms {
    std::string definition = {};  // class Transformed, with what it needs
    std::string wrap = {};        // lines inside train(), after `training` and `validation` are there
    std::string setEpoch = {};    // a line inside the loop over the epochs
};

PythonTransforms pythonTransforms(const RunConfig& config, const SampleShape& shape);

}  // namespace ringside
