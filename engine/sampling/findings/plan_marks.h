// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Returns the padded slots of a rank: the positions of its list that repeat samples. They are the last slots of the
// rank, because every sampler assigns positions to a rank in ascending order. O(log n).
SlotRange paddedSlots(const ShardPlan& plan, int rank);

// Returns the slots (positions in the rank's list of samples) that the loader's drop_last omits. They are also the last
// slots of the rank.
SlotRange loaderDroppedSlots(const ShardPlan& plan, int rank);

}  // namespace ringside
