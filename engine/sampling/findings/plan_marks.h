// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Returns the padded slots of a rank: the positions of its list that repeat samples. They are the last slots of the
// rank, because every sampler assigns positions to a rank in ascending order. O(log n).
SlotRange paddedSlots(const ShardPlan& plan, int rank);

// Returns the slots (positions in the rank's list of samples) that the loader's drop_last omits. They are also the last
// slots of the rank.
SlotRange loaderDroppedSlots(const ShardPlan& plan, int rank);

// True if the only samples that no rank gets are those that the sampler's drop_last drops: the sampler uses the whole
// order, and no rank makes a deliberate mistake.
bool leavesOutOnlyDropped(const ShardSpec& spec);

// Returns the samples that no rank gets: dropped samples in their order; otherwise, with a deliberate mistake, repeated
// draws or a subset, all unused samples, ascending, in O(n). Returns early after *stop is set.
std::vector<std::uint32_t> unusedSamples(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
