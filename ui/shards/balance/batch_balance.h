// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "shards/balance/class_balance.h"

namespace ringside {

// How many samples of each class every step trains on all ranks together, duplicates included.
struct BatchBalance {
    static constexpr std::int64_t kMostCounts = 4'000'000;  // further steps are left out

    std::int64_t steps = 0;  // counted
    std::int64_t stepsOfEpoch = 0;
    int classes = 0;
    std::vector<std::int32_t> counts;      // step-major
    std::vector<std::int64_t> sizes;       // of every step's global batch
    std::vector<std::int64_t> classSizes;  // in the data set
    std::int64_t datasetSize = 0;
    std::vector<std::string> names = {};  // of the classes

    std::int64_t count(std::int64_t step, int label) const {
        return counts[static_cast<std::size_t>(step * classes + label)];
    }
    ChanceBand band(std::int64_t step, int label) const {
        return chanceBand(datasetSize, classSizes[static_cast<std::size_t>(label)],
                          sizes[static_cast<std::size_t>(step)]);
    }
};

// Empty (no classes) when the scene has no labels.
BatchBalance batchBalance(const ShardScene& scene, const std::atomic<bool>& stop);

// Whether a count lies outside the whole numbers that the band reaches.
bool isOutside(std::int64_t count, const ChanceBand& band);

}  // namespace ringside
