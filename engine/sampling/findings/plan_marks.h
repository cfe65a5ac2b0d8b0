// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling/plan/shard_plan.h"

namespace ringside {

// The slots of a rank that repeat a sample to fill the ranks up. Every sampler deals a rank's places in ascending
// order, so they are its last ones. O(log n).
SlotRange paddedSlots(const ShardPlan& plan, int rank);

// The slots of a rank that the loader's drop_last leaves out: its last ones as well.
SlotRange loaderDroppedSlots(const ShardPlan& plan, int rank);

}  // namespace ringside
