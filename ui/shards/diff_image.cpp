// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/diff_image.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::size_t kSame = 0, kAbsent = 1, kFirstRank = 2;

std::int64_t stepOf(const ShardPlan& plan, std::int64_t slot) {
    const bool trained = slot < plan.samplesPerRank() - plan.droppedByLoader();
    return trained ? slot / plan.spec().batchSize : -1;
}

std::size_t keyOf(const ShardPlan& plan, const ShardPlan& other, const std::vector<SampleOwner>& owners, int rank,
                  std::int64_t slot) {
    const auto sample = static_cast<std::size_t>(plan.index(rank, slot));
    const SampleOwner owner = sample < owners.size() ? owners[sample] : SampleOwner{};
    if (owner.rank < 0) return kAbsent;
    const bool same = owner.rank == rank && stepOf(other, owner.slot) == stepOf(plan, slot);
    return same ? kSame : kFirstRank + static_cast<std::size_t>(owner.rank);
}

}  // namespace

QImage diffImage(const ShardPlan& plan, const ShardPlan& other, const std::vector<SampleOwner>& owners, int width,
                 const DiffColors& colors, const std::atomic<bool>& stop) {
    const auto ranks = static_cast<int>(plan.spec().worldSize);
    const std::int64_t count = plan.samplesPerRank();
    QImage image(std::max(1, width), ranks, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    std::vector<int> counts(kFirstRank + colors.ranks.size());
    for (int x = 0; x < width && !stop; ++x) {
        const std::int64_t first = count * x / width;
        const std::int64_t last = std::min(count, std::max(first + 1, count * (x + 1) / width));
        for (int rank = 0; rank < ranks && first < last; ++rank) {
            const std::int64_t end = std::min(last, plan.samplesOf(rank));  // unpadded ranks may be shorter
            if (first >= end) continue;
            std::ranges::fill(counts, 0);
            for (std::int64_t slot = first; slot < end; ++slot) ++counts[keyOf(plan, other, owners, rank, slot)];
            const auto key = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
            reinterpret_cast<QRgb*>(image.scanLine(rank))[x] = key == kSame     ? colors.same
                                                               : key == kAbsent ? colors.absent
                                                                                : colors.ranks[key - kFirstRank];
        }
    }
    return image;
}

}  // namespace ringside
