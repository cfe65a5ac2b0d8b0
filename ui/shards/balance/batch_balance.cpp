// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/batch_balance.h"

#include <algorithm>
#include <cmath>

namespace ringside {

bool isOutside(std::int64_t count, const ChanceBand& band) {
    const auto own = static_cast<double>(count);
    return own < std::floor(band.low) || own > std::ceil(band.high);
}

BatchBalance batchBalance(const ShardScene& scene, const std::atomic<bool>& stop) {
    BatchBalance balance;
    if (!scene.labels || !scene.data || scene.ranks() < 1) return balance;
    const ShardPlan& plan = scene.plan;
    balance.classes = static_cast<int>(scene.data->classCount());
    balance.names = classNames(*scene.data);
    balance.stepsOfEpoch = plan.stepsPerEpoch();
    balance.steps = std::min(balance.stepsOfEpoch, BatchBalance::kMostCounts / std::max(1, balance.classes));
    balance.datasetSize = plan.spec().datasetSize;
    balance.counts.resize(static_cast<std::size_t>(balance.steps * balance.classes));
    balance.sizes.resize(static_cast<std::size_t>(balance.steps));
    balance.classSizes.resize(static_cast<std::size_t>(balance.classes));
    const auto classOf = [&](std::int64_t sample) {
        return std::min<int>((*scene.labels)[static_cast<std::size_t>(sample)], balance.classes - 1);
    };
    for (std::int64_t sample = 0; sample < balance.datasetSize; ++sample) {
        ++balance.classSizes[static_cast<std::size_t>(classOf(sample))];
    }
    for (std::int64_t step = 0; step < balance.steps && !stop; ++step) {
        for (int rank = 0; rank < scene.ranks(); ++rank) {
            const SlotRange batch = plan.batch(rank, step);
            balance.sizes[static_cast<std::size_t>(step)] += batch.count;
            for (std::int64_t slot = batch.first; slot < batch.first + batch.count; ++slot) {
                const std::int64_t at = step * balance.classes + classOf(plan.index(rank, slot));
                ++balance.counts[static_cast<std::size_t>(at)];
            }
        }
    }
    return balance;
}

}  // namespace ringside
