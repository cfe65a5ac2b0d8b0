// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

struct ShardSpec;

// The arithmetic of a sampler: how many places the global order has, and which of them are whose. A place
// p < orderLength holds order[p]; a later one repeats the order from its head (padding).
struct ShardLayout {
    enum class Rule {
        kRoundRobin,  // one place to each rank in turn
        kBlocks,      // one block of places to each rank
        kByBatch      // batchSize places to each rank in turn
    };

    std::int64_t orderLength = 0;
    std::int64_t worldSize = 1;  // as the sampler is told
    std::int64_t samplesPerRank = 0;
    Rule rule = Rule::kRoundRobin;
    std::int64_t batchSize = 1;  // kByBatch only
    bool uneven = false;         // nothing is padded: the last ranks may have one sample less

    // What the spec's sampler does. Sizes are in range.
    static ShardLayout of(const ShardSpec& spec);

    std::int64_t totalSize() const { return uneven ? orderLength : samplesPerRank * worldSize; }
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
    // Where in the order the sample at a place stands.
    std::int64_t orderPlace(std::int64_t position) const {
        return position < orderLength ? position : position % orderLength;
    }
};

}  // namespace ringside
