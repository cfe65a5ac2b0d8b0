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

// Returns the slots (positions in the rank's list of samples) that the loader's drop_last omits. These slots are also
// the last ones of the rank.
SlotRange loaderDroppedSlots(const ShardPlan& plan, int rank);

// True if every sample that no rank gets was dropped by the sampler's drop_last. False if the sampler does not use the
// whole order or a deliberate mistake is configured.
bool leavesOutOnlyDropped(const ShardSpec& spec);

// Returns the samples that no rank gets. If leavesOutOnlyDropped() is true, these are the dropped samples in the order
// of the sampler. Otherwise these are all unused samples in ascending order, in O(n). Returns early after *stop is set.
std::vector<std::uint32_t> unusedSamples(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
