// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/shard_scene.h"

#include <algorithm>
#include <limits>

namespace ringside {

Labels readLabels(const Dataset& data, const std::atomic<bool>* stop) {
    if (data.classCount() <= 0) {
        return {};
    }
    constexpr std::int64_t kReadBetweenChecks = std::int64_t{1} << 16;
    constexpr std::int64_t kLargest = std::numeric_limits<std::uint16_t>::max();
    auto labels = std::make_shared<std::vector<std::uint16_t>>(static_cast<std::size_t>(data.size()));
    for (std::int64_t index = 0; index < data.size(); ++index) {
        if (stop && index % kReadBetweenChecks == 0 && *stop) return {};
        const std::int64_t label = std::clamp<std::int64_t>(data.label(index), 0, kLargest);
        (*labels)[static_cast<std::size_t>(index)] = static_cast<std::uint16_t>(label);
    }
    return labels;
}

CellContent cellContent(const ShardPlan& plan, int rank, std::int64_t slot) {
    CellContent cell;
    if (slot < plan.samplesOf(rank)) {
        cell.sample = plan.index(rank, slot);
        cell.position = plan.position(rank, slot);
        const bool trained = slot < plan.trainedOf(rank);
        cell.step = trained ? slot / plan.spec().batchSize : -1;
        cell.kind = !trained                    ? CellKind::DroppedByLoader
                    : plan.isPadded(rank, slot) ? CellKind::Duplicate
                                                : CellKind::Normal;
        return cell;
    }
    if (slot < plan.samplesPerRank()) {
        return cell;  // without padding, a rank may have one sample less than other ranks, so this cell is empty
    }
    // The columns after the last slot contain the samples that the sampler dropped: the remaining positions of the
    // order, in turn one for each rank.
    const std::int64_t offset = (slot - plan.samplesPerRank()) * plan.spec().worldSize + rank;
    if (offset < static_cast<std::int64_t>(plan.dropped().size())) {
        cell.kind = CellKind::DroppedBySampler;
        cell.sample = plan.dropped()[static_cast<std::size_t>(offset)];
        cell.position = plan.totalSize() + offset;
    }
    return cell;
}

std::optional<SampleSlot> droppedPlace(const ShardPlan& plan, std::int64_t sample) {
    const auto dropped = plan.dropped();
    const auto found = std::ranges::find(dropped, static_cast<std::uint32_t>(sample));
    if (found == dropped.end()) {
        return {};
    }
    const std::int64_t offset = found - dropped.begin();
    const std::int64_t world = plan.spec().worldSize;
    return SampleSlot{static_cast<int>(offset % world), plan.samplesPerRank() + offset / world, -1,
                      plan.totalSize() + offset, false};
}

}  // namespace ringside
