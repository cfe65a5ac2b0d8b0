// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "config/run_config.h"
#include "sampling/plan/shard_numbers.h"

namespace ringside {

// What an experiment deals in one epoch; without set_epoch every epoch is epoch 0. Kinds that need the samples'
// classes are dealt only with the data.
ShardSpec epochSpec(const RunConfig& config, std::int64_t datasetSize, std::int64_t epoch);
ShardSpec epochSpec(const RunConfig& config, const std::shared_ptr<const ClassLabels>& data, std::int64_t epoch);

}  // namespace ringside
