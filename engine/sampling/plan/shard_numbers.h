// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Counts of a plan, computed without assigning a sample, so that they can be shown at every keystroke. The spec's sizes
// must be in range.
struct ShardNumbers {
    std::int64_t samplesPerRank = 0;  // number of samples of the rank with the most samples
    std::int64_t totalSize = 0;
    std::int64_t padding = 0;
    std::int64_t droppedBySampler = 0;  // number of samples at the end of the order that no rank gets
    std::int64_t stepsPerEpoch = 0;
    std::int64_t lastBatchSize = 0;    // number of samples per rank in the last step; 0 if there is no step
    std::int64_t droppedByLoader = 0;  // number of samples of each rank that the loader's drop_last omits
    std::int64_t orderLength = 0;      // number of samples before padding
};
ShardNumbers shardNumbers(const ShardSpec& spec);

}  // namespace ringside
