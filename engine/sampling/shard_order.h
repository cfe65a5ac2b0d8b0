// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "sampling/shard_plan.h"

namespace ringside {

// The deck before dealing: sample indices in the order in which the spec's sampler visits them, before padding.
// Problems: classes that the data does not have, weights without a sum, a subset outside the data.
Result<std::vector<std::uint32_t>> makeOrder(const ShardSpec& spec);

// The order that DistributedSampler shuffles for a set of `length` samples, with its seed changed by seedShift.
std::vector<std::uint32_t> shuffledOrder(const ShardSpec& spec, std::int64_t length, std::int64_t seedShift = 0);

}  // namespace ringside
