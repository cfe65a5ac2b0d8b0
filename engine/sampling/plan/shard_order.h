// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/errors/result.h"
#include "sampling/plan/shard_plan.h"
#include "sampling/random/draw_watch.h"

namespace ringside {

// The deck before dealing: sample indices in the order in which the spec's sampler visits them, before padding.
// Problems: classes that the data does not have, weights without a sum, a subset outside the data. After a stop by
// the watch the result is not in this order.
Result<std::vector<std::uint32_t>> makeOrder(const ShardSpec& spec, const DrawWatch& watch = {});

// The order that DistributedSampler shuffles for a set of `length` samples, with its seed changed by seedShift.
std::vector<std::uint32_t> shuffledOrder(const ShardSpec& spec, std::int64_t length, std::int64_t seedShift = 0,
                                         const DrawWatch& watch = {});

}  // namespace ringside
