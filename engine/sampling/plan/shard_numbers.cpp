// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/shard_numbers.h"

#include <algorithm>

#include "sampling/plan/shard_layout.h"

namespace ringside {
namespace {

// Counts the padding of each rank. With a wrong rank or world size it is no longer the end of one global order.
std::int64_t paddingByHand(const ShardSpec& spec, const ShardLayout& layout) {
    std::int64_t padding = 0;
    for (std::int64_t rank = 0; rank < spec.worldSize; ++rank) {
        const std::int64_t said = spec.pitfalls.wrongRank < 0 ? rank : spec.pitfalls.wrongRank;
        const std::int64_t own = std::max<std::int64_t>(0, layout.orderLength - said + layout.worldSize - 1);
        padding += std::max<std::int64_t>(0, layout.samplesPerRank - own / layout.worldSize);
    }
    return padding;
}

}  // namespace

ShardNumbers shardNumbers(const ShardSpec& spec) {
    const ShardLayout layout = ShardLayout::of(spec);
    ShardNumbers numbers{.samplesPerRank = layout.samplesPerRank, .orderLength = layout.orderLength};
    numbers.totalSize = layout.uneven ? layout.orderLength : layout.samplesPerRank * spec.worldSize;
    numbers.padding = spec.pitfalls.any() ? paddingByHand(spec, layout)
                                          : std::max<std::int64_t>(0, numbers.totalSize - layout.orderLength);
    numbers.droppedBySampler = std::max<std::int64_t>(0, layout.orderLength - layout.totalSize());
    const std::int64_t rest = numbers.samplesPerRank % spec.batchSize;
    const bool keepsRest = rest > 0 && !spec.loaderDropLast;
    numbers.stepsPerEpoch = numbers.samplesPerRank / spec.batchSize + (keepsRest ? 1 : 0);
    numbers.droppedByLoader = keepsRest ? 0 : rest;
    if (numbers.stepsPerEpoch > 0) numbers.lastBatchSize = keepsRest ? rest : spec.batchSize;
    return numbers;
}

}  // namespace ringside
