// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "nn/models/model.h"

namespace ringside {

// The layers of each stage. By hand: pipeline.split, whose numbers add up to the model's layers; else so that the stage
// with the most arithmetic has as little as can be. The problem says how many layers there are.
Result<std::vector<LayerRange>> cutIntoStages(const Model& model, const RunConfig& config, std::size_t stages);

}  // namespace ringside
