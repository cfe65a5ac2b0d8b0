// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <vector>

#include "sampling/findings/plan_diff.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Where the sample of each cell was in another plan, as a small number, 2 bytes a cell.
struct CellOrigins {
    static constexpr std::uint16_t kSame = 0;       // on the same rank in the same step
    static constexpr std::uint16_t kAbsent = 1;     // not dealt by the other plan
    static constexpr std::uint16_t kFirstRank = 2;  // elsewhere: kFirstRank + the rank that has it there

    std::int64_t columns = 0;         // of each rank
    std::vector<std::uint16_t> keys;  // rank-major

    std::uint16_t at(int rank, std::int64_t slot) const {
        return keys[static_cast<std::size_t>(rank * columns + slot)];
    }
};

// owners: of the other plan. O(cells); a stopped one is empty.
CellOrigins cellOrigins(const ShardScene& scene, const ShardPlan& other, const std::vector<SampleOwner>& owners,
                        const std::atomic<bool>& stop);

}  // namespace ringside
