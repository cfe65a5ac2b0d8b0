// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "nn/blocks/unit.h"
#include "nn/models/model.h"

namespace ringside {

// Choices for building a model. They do not change a single bit of the model's results.
struct ModelBuild {
    Recompute recompute = Recompute::kNone;
    ShardUnit unit = ShardUnit::kWhole;  // set of layers whose parameters are gathered together (fsdp.unit)
    // result of makeModel(): the units (layers whose parameters are gathered together), in the order of the layers
    std::vector<Unit*> units = {};
};

// Makes the model of a configuration (see describeModel) for the given input shape and number of outputs. The caller
// must call Model::prepare().
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelInterface& interface, Backend& backend);
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs,
                                         Backend& backend);
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelInterface& interface, Backend& backend,
                                         ModelBuild& build);
// True if all layers can work on images that are stored in blocks of channels and this backend has fast kernels for the
// model's convolutions.
bool takesChannelBlocks(const ModelDescription& model, const Backend& backend);

// Makes one layer of each entry of the list of built layers (plan/built_layers.h). Appends the units (layers whose
// parameters are gathered together) among them to `units` in the order of the layers.
std::unique_ptr<Model> makeModel(const std::vector<BuiltLayer>& plan, Backend& backend, std::vector<Unit*>& units);

}  // namespace ringside
