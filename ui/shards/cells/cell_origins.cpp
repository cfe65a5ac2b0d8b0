// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/cell_origins.h"

namespace ringside {
namespace {

std::int64_t stepOf(const ShardPlan& plan, int rank, std::int64_t slot) {
    const bool trained = slot < plan.trainedOf(rank);
    return trained ? slot / plan.spec().batchSize : -1;
}

// True if both plans have the same sample in this slot of the rank, in the same step. With a deliberate mistake,
// several ranks have a sample, of which its owner is only one.
bool isInSameSlot(const ShardPlan& plan, const ShardPlan& other, int rank, std::int64_t slot) {
    return rank < other.spec().worldSize && slot < other.samplesOf(rank) &&
           plan.index(rank, slot) == other.index(rank, slot) && stepOf(plan, rank, slot) == stepOf(other, rank, slot);
}

}  // namespace

CellOrigins cellOrigins(const ShardScene& scene, const ShardPlan& other, const std::vector<SampleOwner>& owners,
                        const std::atomic<bool>& stop) {
    const ShardPlan& plan = scene.plan;
    CellOrigins origins{scene.columns(), {}};
    origins.keys.assign(static_cast<std::size_t>(scene.ranks() * origins.columns), CellOrigins::kAbsent);
    auto key = origins.keys.begin();
    for (int rank = 0; rank < scene.ranks(); ++rank) {
        if (stop) return {};
        for (std::int64_t slot = 0; slot < origins.columns; ++slot, ++key) {
            const bool isAssigned = slot < plan.samplesOf(rank);
            const std::int64_t sample = isAssigned ? plan.index(rank, slot) : cellContent(plan, rank, slot).sample;
            if (sample < 0 || sample >= std::ssize(owners)) continue;
            const SampleOwner& owner = owners[static_cast<std::size_t>(sample)];
            if (owner.rank < 0) continue;
            const bool same =
                isAssigned && (isInSameSlot(plan, other, rank, slot) ||
                               (owner.rank == rank && stepOf(other, rank, owner.slot) == stepOf(plan, rank, slot)));
            *key = same ? CellOrigins::kSame : static_cast<std::uint16_t>(CellOrigins::kFirstRank + owner.rank);
        }
    }
    return origins;
}

}  // namespace ringside
