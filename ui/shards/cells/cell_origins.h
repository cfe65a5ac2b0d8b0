// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <vector>

#include "sampling/findings/plan_diff.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// For each cell of a plan: the rank that has the sample of the cell in another plan, stored as a key of 2 bytes.
struct CellOrigins {
    static constexpr std::uint16_t kSame = 0;       // key of a sample that has the same rank and step in the other plan
    static constexpr std::uint16_t kAbsent = 1;     // key of a sample that the other plan does not assign
    static constexpr std::uint16_t kFirstRank = 2;  // key of a sample that has another rank or step in the other plan:
                                                    // kFirstRank + its rank there

    std::int64_t columns = 0;         // number of cells of each rank
    std::vector<std::uint16_t> keys;  // keys of all cells, rank by rank

    std::uint16_t at(int rank, std::int64_t slot) const {
        return keys[static_cast<std::size_t>(rank * columns + slot)];
    }
};

// Computes where the plan `other` uses the sample of each cell of `scene`. owners: rank and slot of each sample in
// `other`. The time is proportional to the number of cells. Returns an empty result if *stop is set before the end.
CellOrigins cellOrigins(const ShardScene& scene, const ShardPlan& other, const std::vector<SampleOwner>& owners,
                        const std::atomic<bool>& stop);

}  // namespace ringside
