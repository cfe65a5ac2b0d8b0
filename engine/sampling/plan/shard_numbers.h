// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// The counts of a plan, without dealing a sample: cheap enough for every keystroke. The spec's sizes are in range.
struct ShardNumbers {
    std::int64_t samplesPerRank = 0;  // of the longest rank
    std::int64_t totalSize = 0;
    std::int64_t padding = 0;
    std::int64_t droppedBySampler = 0;  // of the order's tail
    std::int64_t stepsPerEpoch = 0;
    std::int64_t lastBatchSize = 0;    // per rank; 0 when there is no step
    std::int64_t droppedByLoader = 0;  // per rank
    std::int64_t orderLength = 0;      // before padding
};
ShardNumbers shardNumbers(const ShardSpec& spec);

}  // namespace ringside
