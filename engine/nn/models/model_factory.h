// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "nn/blocks/unit.h"
#include "nn/models/model.h"

namespace ringside {

// How a model's layers are put together; what it computes is the same to the bit.
struct ModelBuild {
    std::string recompute = "none";  // none | blocks | all, as training.recompute
    std::string unit = "whole";      // layer | block | whole: what is wrapped as a Unit
    std::vector<Unit*> units = {};   // filled in: those made, in the order of the layers
};

// The model a configuration names (see describeModel) for a task, not yet prepared.
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelTask& task, Backend& backend);
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs,
                                         Backend& backend);
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelTask& task, Backend& backend,
                                         ModelBuild& build);

}  // namespace ringside
