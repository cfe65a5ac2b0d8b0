// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Returns the padded slots of a rank, which repeat samples. These are its last slots, because every sampler assigns
// positions to a rank in ascending order. O(log n).
SlotRange paddedSlots(const ShardPlan& plan, int rank);

// Returns the slots of a rank that the loader's drop_last omits, which are also its last ones.
SlotRange loaderDroppedSlots(const ShardPlan& plan, int rank);

}  // namespace ringside
