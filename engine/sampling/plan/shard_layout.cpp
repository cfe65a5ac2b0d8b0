// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/shard_layout.h"

#include <algorithm>
#include <cmath>

#include "sampling/plan/shard_plan.h"

namespace ringside {
namespace {

// maximum number of consecutive positions that one rank gets; keeps the product of world size and batch size below 2^63
constexpr std::int64_t kLargestChunk = std::int64_t{1} << 40;

std::int64_t parts(std::int64_t length, std::int64_t size, bool dropLast) {
    return length / size + (dropLast || length % size == 0 ? 0 : 1);
}

std::int64_t subsetSize(const ShardSpec& spec) {
    if (!spec.subsetIndices.empty()) return static_cast<std::int64_t>(spec.subsetIndices.size());
    const auto part = std::llround(spec.subsetFraction * static_cast<double>(spec.datasetSize));
    return std::clamp<std::int64_t>(part, std::min<std::int64_t>(1, spec.datasetSize), spec.datasetSize);
}

// Returns the number of samples of one rank after the first split of double sharding, by DistributedSampler's rule.
std::int64_t shareOfOneRank(const ShardSpec& spec, std::int64_t world) {
    return parts(spec.datasetSize, world, spec.dropLast);
}

std::int64_t orderLengthOf(const ShardSpec& spec, std::int64_t world) {
    if (spec.kind == SamplerKind::kSubset) return subsetSize(spec);
    if (mayRepeatSamples(spec.kind) && spec.numSamples > 0 && spec.datasetSize > 0) return spec.numSamples;
    return spec.pitfalls.doubleSharding ? shareOfOneRank(spec, world) : spec.datasetSize;
}

}  // namespace

ShardLayout ShardLayout::of(const ShardSpec& spec) {
    ShardLayout layout;
    layout.worldSize = spec.pitfalls.wrongWorldSize > 0 ? spec.pitfalls.wrongWorldSize : spec.worldSize;
    layout.orderLength = orderLengthOf(spec, layout.worldSize);
    layout.uneven = spec.kind == SamplerKind::kUnpadded;
    if (isReplicated(spec.kind)) {
        layout.rule = Rule::kBlocks;
        layout.samplesPerRank = layout.orderLength;
    } else if (assignsBatches(spec.kind)) {
        layout.rule = Rule::kByBatch;
        layout.batchSize = std::min(spec.batchSize, kLargestChunk);
        layout.samplesPerRank =
            parts(layout.orderLength, layout.batchSize * layout.worldSize, spec.dropLast) * layout.batchSize;
    } else {
        if (spec.kind == SamplerKind::kContiguous) layout.rule = Rule::kBlocks;
        layout.samplesPerRank = parts(layout.orderLength, layout.worldSize, spec.dropLast && !layout.uneven);
    }
    return layout;
}

}  // namespace ringside
