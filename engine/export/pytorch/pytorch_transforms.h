// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Python text of an experiment's transforms; all empty if there are none. The script draws the same crops and flips as
// Ringside.
struct PythonTransforms {
    std::string definition = {};  // definition of the class Transformed and of its dependencies
    std::string wrap = {};        // lines of train() that wrap `training` and `validation` in Transformed
    std::string setEpoch = {};    // line inside the loop over the epochs that sets the epoch of the transforms
};

// Returns the transforms for samples of this shape.
PythonTransforms pythonTransforms(const RunConfig& config, const SampleShape& shape);

}  // namespace ringside
