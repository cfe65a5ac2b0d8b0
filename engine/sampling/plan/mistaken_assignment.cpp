// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/mistaken_assignment.h"

#include "sampling/plan/shard_order.h"

namespace ringside {
namespace {

// Maximum length of the orders of all ranks together, in samples. Drawing this number of samples takes seconds and 4
// GiB of memory.
constexpr std::int64_t kMaxDraws = std::int64_t{1} << 30;

// Returns a problem if the rank that is passed to DistributedSampler is not below num_replicas, which PyTorch refuses.
Problems checkRank(const ShardSpec& spec) {
    const std::int64_t world = samplerWorldSize(spec);
    const bool byHand = spec.pitfalls.wrongRank >= 0;
    const std::int64_t rank = byHand ? spec.pitfalls.wrongRank : spec.worldSize - 1;
    if (rank < world) return {};
    const std::string last = std::to_string(world - 1);
    const std::string says = "; PyTorch raises \"Invalid rank " + std::to_string(rank) +
                             ", rank should be in the interval [0, " + last + "]\"";
    if (byHand)
        return {{"pitfalls.wrong_rank", "is " + std::to_string(rank) + says, "choose a rank from 0 to " + last}};
    return {{"pitfalls.wrong_world_size",
             "is " + std::to_string(world) + ", but there are " + std::to_string(spec.worldSize) + " ranks" + says,
             "set it to " + std::to_string(spec.worldSize) + " or more, or also set pitfalls.wrong_rank"}};
}

}  // namespace

std::int64_t samplerWorldSize(const ShardSpec& spec) {
    return spec.pitfalls.wrongWorldSize > 0 ? spec.pitfalls.wrongWorldSize : spec.worldSize;
}

bool hasOrderPerRank(const PitfallsConfig& pitfalls) {
    return pitfalls.seedPerRank || pitfalls.doubleSharding;
}

Problems checkPitfalls(const ShardSpec& spec) {
    if (!spec.pitfalls.any()) return {};
    if (spec.pitfalls.shuffleWithSampler) {
        return {{"pitfalls.shuffle_with_sampler",
                 "is on, and PyTorch raises \"sampler option is mutually exclusive with shuffle\": both would set the "
                 "order",
                 "switch it off and use the shuffle of the sampler (sampler.shuffle)"}};
    }
    if (spec.kind != SamplerKind::kDistributed) {
        return {{"pitfalls",
                 "include a mistake that only the distributed sampler permits, but sampler.kind is " +
                     std::string(samplerName(spec.kind)),
                 "switch all pitfalls off, or choose the distributed sampler"}};
    }
    if (const Problems problems = checkRank(spec); !problems.empty()) return problems;
    const ShardLayout layout = ShardLayout::of(spec);
    const bool tooMany = layout.orderLength > kMaxDraws / spec.worldSize;
    if (hasOrderPerRank(spec.pitfalls) && (tooMany || layout.samplesPerRank > kMaxDraws / spec.worldSize)) {
        return {{"pitfalls",
                 "give each of " + std::to_string(spec.worldSize) + " ranks its own order of " +
                     std::to_string(layout.orderLength) + " samples; all orders together may have at most " +
                     std::to_string(kMaxDraws) + " samples",
                 "use fewer samples or ranks"}};
    }
    return {};
}

std::vector<std::uint32_t> assignWithMistakes(const ShardSpec& spec, const ShardLayout& layout,
                                              const std::atomic<bool>* stop) {
    std::vector<std::uint32_t> assigned;
    assigned.reserve(static_cast<std::size_t>(layout.samplesPerRank * spec.worldSize));
    std::vector<std::uint32_t> order;
    for (std::int64_t rank = 0; rank < spec.worldSize && !(stop && *stop); ++rank) {
        const std::int64_t shift = spec.pitfalls.seedPerRank ? rank : 0;
        if (rank == 0 || shift > 0) order = shuffledOrder(spec, layout.orderLength, shift, stop);
        const std::int64_t claimedRank = spec.pitfalls.wrongRank < 0 ? rank : spec.pitfalls.wrongRank;
        for (std::int64_t slot = 0; slot < layout.samplesPerRank; ++slot) {
            std::int64_t index = order[static_cast<std::size_t>(layout.orderIndex(layout.position(claimedRank, slot)))];
            if (spec.pitfalls.doubleSharding) index = (claimedRank + layout.worldSize * index) % spec.datasetSize;
            assigned.push_back(static_cast<std::uint32_t>(index));
        }
    }
    return assigned;
}

}  // namespace ringside
