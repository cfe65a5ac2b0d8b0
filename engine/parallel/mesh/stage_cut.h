// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "nn/models/model.h"

namespace ringside {

// Returns the layers of each stage: as pipeline.split defines them, whose numbers must add up to the model's layers;
// otherwise such that the largest cost of a stage is minimal. The problem text contains the number of layers.
Result<std::vector<LayerRange>> cutIntoStages(const Model& model, const RunConfig& config, std::size_t stages);

}  // namespace ringside
