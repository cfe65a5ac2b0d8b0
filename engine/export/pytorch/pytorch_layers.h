// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "model/model_description.h"

namespace ringside {

// The exported model as a chain of modules, for strategies that divide the chain into stages or shard its modules.
struct PythonLayers {
    std::string definition = {};            // definition of layers_of(network) and of the classes that it needs
    std::vector<std::size_t> tensors = {};  // number of trained tensors of each module
};

// Returns the chain of modules of a model.
PythonLayers pythonLayers(const ModelConfig& config, const ModelDescription& model);

// Returns the index in layers_of() at which each stage begins, and the end. tensorsOfStage: number of trained tensors
// of each stage. Returns a problem for a stage without parameters.
Result<std::vector<std::int64_t>> pythonCuts(const PythonLayers& layers,
                                             const std::vector<std::size_t>& tensorsOfStage);

// True if training skips layers at random.
bool skipsLayers(const std::vector<LayerDescription>& layers);

}  // namespace ringside
