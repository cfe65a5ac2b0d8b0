// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "config/run_config.h"
#include "nn/model.h"

namespace ringside {

// The model a configuration names (see describeModel), from samples of this shape to `outputs` values, not yet
// prepared.
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs,
                                         Backend& backend);

}  // namespace ringside
