// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/map/map_image.h"

#include <algorithm>

#include "sampling/findings/plan_marks.h"

namespace ringside {
namespace {

void setSquare(QImage& image, const MapGeometry& map, qint64 sample, QRgb color) {
    const qint64 square = map.square(sample);
    reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(square / map.columns)))[square % map.columns] = color;
}

// Returns the rank that has the most of the samples first to last - 1; in case of a tie, the rank of the earliest
// sample. Returns -1 if no rank has any of these samples.
int majorityRank(const std::vector<SampleOwner>& owners, qint64 first, qint64 last, std::vector<int>& counts) {
    int best = -1;
    for (qint64 sample = first; sample < last; ++sample) {
        const int rank = owners[static_cast<std::size_t>(sample)].rank;
        if (rank < 0) continue;
        ++counts[static_cast<std::size_t>(rank)];
        if (best < 0) best = rank;
    }
    for (qint64 sample = first; sample < last; ++sample) {
        const int rank = owners[static_cast<std::size_t>(sample)].rank;
        if (rank >= 0 && counts[static_cast<std::size_t>(rank)] > counts[static_cast<std::size_t>(best)]) best = rank;
    }
    for (qint64 sample = first; sample < last; ++sample) {
        const int rank = owners[static_cast<std::size_t>(sample)].rank;
        if (rank >= 0) counts[static_cast<std::size_t>(rank)] = 0;
    }
    return best;
}

void markSpecial(QImage& image, const ShardPlan& plan, const MapGeometry& map, const MapColors& colors) {
    const auto markAll = [&](int rank, const SlotRange& range, QRgb color) {
        for (qint64 slot = range.first; slot < range.first + range.count; ++slot) {
            setSquare(image, map, plan.index(rank, slot), color);
        }
    };
    const auto world = static_cast<int>(plan.spec().worldSize);
    for (int rank = 0; rank < world; ++rank) markAll(rank, paddedSlots(plan, rank), colors.duplicate);
    for (int rank = 0; rank < world; ++rank) markAll(rank, loaderDroppedSlots(plan, rank), colors.dropped);
    for (const std::uint32_t sample : plan.dropped()) setSquare(image, map, sample, colors.dropped);
}

}  // namespace

QImage mapImage(const ShardPlan& plan, const MapGeometry& map, const MapColors& colors, const std::atomic<bool>& stop) {
    QImage image(map.columns, std::max(1, map.rows), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    const std::vector<SampleOwner> owners = sampleOwners(plan, &stop);
    std::vector<int> counts(colors.ranks.size());
    for (qint64 first = 0; first < map.samples && !stop; first += map.perSquare) {
        const int rank = majorityRank(owners, first, std::min(first + map.perSquare, map.samples), counts);
        if (rank >= 0) setSquare(image, map, first, colors.ranks[static_cast<std::size_t>(rank)]);
    }
    if (!stop) markSpecial(image, plan, map, colors);
    return image;
}

}  // namespace ringside
