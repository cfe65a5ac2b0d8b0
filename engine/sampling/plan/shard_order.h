// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/errors/result.h"
#include "sampling/plan/shard_plan.h"
#include "sampling/random/draw_watch.h"

namespace ringside {

// Returns the sample indices in the order in which the spec's sampler visits them, before padding and before the
// indices are assigned to ranks. Problems: the data has no classes, the weights have no positive sum, or the subset is
// outside the data. If `watch` stops the draw, the result is incomplete.
Result<std::vector<std::uint32_t>> makeOrder(const ShardSpec& spec, const DrawWatch& watch = {});

// Returns DistributedSampler's order of `length` samples, with seedShift added to the seed. Without shuffle, the
// samples are ascending.
std::vector<std::uint32_t> shuffledOrder(const ShardSpec& spec, std::int64_t length, std::int64_t seedShift = 0,
                                         const DrawWatch& watch = {});

}  // namespace ringside
