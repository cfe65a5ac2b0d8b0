// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Returns the padded slots of a rank, which repeat samples. They are the last slots of the rank, because every sampler
// assigns positions to a rank in ascending order. O(log n).
SlotRange paddedSlots(const ShardPlan& plan, int rank);

// Returns the slots of a rank that the loader's drop_last omits, which are also the last slots of the rank.
SlotRange loaderDroppedSlots(const ShardPlan& plan, int rank);

}  // namespace ringside
