// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/shard_numbers.h"

#include <algorithm>

#include "sampling/plan/shard_layout.h"

namespace ringside {
namespace {

// Counts the padding rank by rank. With the pitfalls wrong_rank and wrong_world_size, the padded slots of all ranks do
// not form the end of one global order.
std::int64_t paddingByHand(const ShardSpec& spec, const ShardLayout& layout) {
    std::int64_t padding = 0;
    for (std::int64_t rank = 0; rank < spec.worldSize; ++rank) {
        const std::int64_t claimedRank = spec.pitfalls.wrongRank < 0 ? rank : spec.pitfalls.wrongRank;
        const std::int64_t own = std::max<std::int64_t>(0, layout.orderLength - claimedRank + layout.worldSize - 1);
        padding += std::max<std::int64_t>(0, layout.samplesPerRank - own / layout.worldSize);
    }
    return padding;
}

// Returns the numbers of a group of ranks, except lastBatch, which the caller sets.
RankGroup groupOf(const ShardSpec& spec, std::int64_t ranks, std::int64_t samples) {
    RankGroup group{.ranks = ranks, .samples = samples};
    const std::int64_t rest = samples % spec.batchSize;
    const bool keepsRest = rest > 0 && !spec.loaderDropLast;
    group.steps = samples / spec.batchSize + (keepsRest ? 1 : 0);
    group.droppedByLoader = keepsRest ? 0 : rest;
    group.trained = samples - group.droppedByLoader;
    return group;
}

}  // namespace

ShardNumbers shardNumbers(const ShardSpec& spec) {
    const ShardLayout layout = ShardLayout::of(spec);
    ShardNumbers numbers{.samplesPerRank = layout.samplesPerRank, .orderLength = layout.orderLength};
    numbers.totalSize = layout.uneven ? layout.orderLength : layout.samplesPerRank * spec.worldSize;
    numbers.padding = spec.pitfalls.any() ? paddingByHand(spec, layout)
                                          : std::max<std::int64_t>(0, numbers.totalSize - layout.orderLength);
    numbers.droppedBySampler = std::max<std::int64_t>(0, layout.orderLength - layout.totalSize());
    numbers.batchSize = spec.batchSize;
    const std::int64_t longerRanks = layout.uneven ? layout.longerRanks() : spec.worldSize;
    numbers.groups[0] = groupOf(spec, longerRanks, layout.samplesPerRank);
    numbers.stepsPerEpoch = numbers.groups[0].steps;
    if (longerRanks < spec.worldSize)
        numbers.groups[1] = groupOf(spec, spec.worldSize - longerRanks, layout.samplesPerRank - 1);
    for (RankGroup& group : numbers.groups) {
        const std::int64_t before = std::max<std::int64_t>(0, numbers.stepsPerEpoch - 1) * spec.batchSize;
        group.lastBatch = std::clamp<std::int64_t>(group.trained - before, 0, spec.batchSize);
        numbers.droppedByLoader += group.ranks * group.droppedByLoader;
    }
    return numbers;
}

std::int64_t globalBatch(const ShardNumbers& numbers, std::int64_t accumulateSteps) {
    std::int64_t samples = 0;
    for (const RankGroup& group : numbers.groups) {
        const bool all =
            numbers.batchSize >
            group.trained / accumulateSteps;  // divides, because the product batchSize * accumulateSteps can overflow
        samples += group.ranks * (all ? group.trained : numbers.batchSize * accumulateSteps);
    }
    return samples;
}

}  // namespace ringside
