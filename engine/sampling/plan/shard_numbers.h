// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Ranks with the same number of samples.
struct RankGroup {
    std::int64_t ranks = 0;    // number of ranks in this group; 0 for groups[1] if all ranks have equally many samples
    std::int64_t samples = 0;  // number of samples of each rank
    std::int64_t trained = 0;  // number of samples that each rank trains: `samples` without droppedByLoader
    std::int64_t steps = 0;    // number of batches of each rank
    std::int64_t lastBatch =
        0;  // number of samples of each rank in the plan's last step; 0 if the rank has no samples left
    std::int64_t droppedByLoader = 0;  // number of samples of each rank that the loader's drop_last omits
    bool operator==(const RankGroup&) const = default;
};

// Counts of a plan, computed by formulas without assigning any sample. Fast enough to be computed at each keystroke.
// The spec's sizes must be in the ranges that ShardPlan::make() accepts.
struct ShardNumbers {
    std::int64_t samplesPerRank = 0;  // number of samples of the rank with the most samples
    std::int64_t totalSize = 0;
    std::int64_t padding = 0;
    std::int64_t droppedBySampler = 0;  // number of samples at the end of the order that no rank gets
    std::int64_t stepsPerEpoch = 0;     // number of batches of the rank with the most samples
    std::int64_t droppedByLoader = 0;   // number of samples of all ranks that the loader's drop_last omits
    std::int64_t orderLength = 0;       // length of the sampler's order before padding, in samples
    // If all ranks have equally many samples, groups[0] describes all ranks. Otherwise groups[0] describes the ranks
    // with samplesPerRank samples, and groups[1] describes the ranks with one sample less.
    std::array<RankGroup, 2> groups = {};
    std::int64_t batchSize = 1;

    bool isUneven() const { return groups[1].ranks > 0; }
};
ShardNumbers shardNumbers(const ShardSpec& spec);

// Returns the number of samples that all ranks together train in the first step. accumulateSteps: number of batches of
// a rank whose gradients one step accumulates.
std::int64_t globalBatch(const ShardNumbers& numbers, std::int64_t accumulateSteps = 1);

}  // namespace ringside
