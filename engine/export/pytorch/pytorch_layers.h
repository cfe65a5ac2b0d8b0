// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "model/model_description.h"

namespace ringside {

// The exported model as a chain of modules, for strategies that cut or shard it.
struct PythonLayers {
    std::string definition = {};            // layers_of(network), and the classes that it needs
    std::vector<std::size_t> tensors = {};  // how many trained ones each of its modules has
};

PythonLayers pythonLayers(const ModelConfig& config, const ModelDescription& model);

// Where each stage's modules begin in layers_of(), and the end; `tensorsOfStage`: how many trained tensors each has.
Result<std::vector<std::int64_t>> pythonCuts(const PythonLayers& layers,
                                             const std::vector<std::size_t>& tensorsOfStage);

// Whether training leaves out layers at random.
bool skipsLayers(const std::vector<LayerDescription>& layers);

}  // namespace ringside
