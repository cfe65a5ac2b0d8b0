// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "nn/model.h"

namespace ringside {

// The model a configuration names (see describeModel) for a task, not yet prepared.
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const ModelTask& task, Backend& backend);
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs,
                                         Backend& backend);

}  // namespace ringside
