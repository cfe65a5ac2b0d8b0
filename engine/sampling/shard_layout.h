// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

struct ShardSpec;

// The arithmetic of DistributedSampler: how many places the global order has, and which of them are whose. A place
// p < orderLength holds order[p]; a later one repeats the order from its head (padding).
struct ShardLayout {
    std::int64_t orderLength = 0;
    std::int64_t worldSize = 1;
    std::int64_t samplesPerRank = 0;

    static ShardLayout roundRobin(const ShardSpec& spec);

    std::int64_t totalSize() const { return samplesPerRank * worldSize; }
    std::int64_t position(int rank, std::int64_t slot) const { return rank + worldSize * slot; }
    int rankAt(std::int64_t position) const { return static_cast<int>(position % worldSize); }
    std::int64_t slotAt(std::int64_t position) const { return position / worldSize; }
    // Where in the order the sample at a place stands.
    std::int64_t orderPlace(std::int64_t position) const {
        return position < orderLength ? position : position % orderLength;
    }
};

}  // namespace ringside
