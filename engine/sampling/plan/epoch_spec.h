// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "config/run_config.h"
#include "sampling/plan/shard_numbers.h"

namespace ringside {

// Returns the spec of the plan of one epoch. Without set_epoch, all epochs use the spec of epoch 0. Samplers that need
// classes require the overload with `data`.
ShardSpec epochSpec(const RunConfig& config, std::int64_t datasetSize, std::int64_t epoch);
ShardSpec epochSpec(const RunConfig& config, const std::shared_ptr<const ClassLabels>& data, std::int64_t epoch);

}  // namespace ringside
