// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

struct ShardSpec;

// Arithmetic of a sampler: length of the global order, and the mapping between global positions and the slots of each
// rank. Position p contains the sample order[p % orderLength], because padding repeats the order from its start.
struct ShardLayout {
    enum class Rule {
        kRoundRobin,  // each rank gets one position in turn
        kBlocks,      // each rank gets one contiguous block of positions
        kByBatch      // each rank gets batchSize positions in turn
    };

    std::int64_t orderLength = 0;
    std::int64_t worldSize = 1;  // number of ranks: num_replicas passed to the sampler
    std::int64_t samplesPerRank = 0;
    Rule rule = Rule::kRoundRobin;
    std::int64_t batchSize = 1;  // number of positions in a batch, for kByBatch only
    bool uneven = false;         // true if the order is not padded: the last ranks may then have one sample less

    // Returns the layout of the spec's sampler. The sizes in `spec` must be in the ranges that ShardPlan::make()
    // accepts.
    static ShardLayout of(const ShardSpec& spec);

    std::int64_t totalSize() const { return uneven ? orderLength : samplesPerRank * worldSize; }
    // Returns the number of ranks with samplesPerRank samples. These are the first ranks; each other rank has one
    // sample less.
    std::int64_t longerRanks() const {
        const std::int64_t longer = uneven ? orderLength % worldSize : 0;
        return longer > 0 ? longer : worldSize;
    }
    std::int64_t samplesOf(std::int64_t rank) const {
        return uneven ? (orderLength - rank + worldSize - 1) / worldSize : samplesPerRank;
    }
    std::int64_t position(std::int64_t rank, std::int64_t slot) const {
        if (rule == Rule::kRoundRobin) return rank + worldSize * slot;
        if (rule == Rule::kBlocks) return rank * samplesPerRank + slot;
        return (slot / batchSize * worldSize + rank) * batchSize + slot % batchSize;
    }
    int rankAt(std::int64_t position) const {
        if (rule == Rule::kRoundRobin) return static_cast<int>(position % worldSize);
        if (rule == Rule::kBlocks) return static_cast<int>(position / samplesPerRank);
        return static_cast<int>(position / batchSize % worldSize);
    }
    std::int64_t slotAt(std::int64_t position) const {
        if (rule == Rule::kRoundRobin) return position / worldSize;
        if (rule == Rule::kBlocks) return position % samplesPerRank;
        return position / (batchSize * worldSize) * batchSize + position % batchSize;
    }
    // Returns the index, in the global order, of the sample at a global position: `position % orderLength`, because
    // padding repeats the order from its start.
    std::int64_t orderIndex(std::int64_t position) const {
        return position < orderLength ? position : position % orderLength;
    }
};

}  // namespace ringside
