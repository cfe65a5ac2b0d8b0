// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <iterator>
#include <vector>

#include "sampling/findings/biography.h"
#include "shards/scene/explanation.h"

namespace ringside {

struct Biography {
    static constexpr std::int64_t kMostMates = 256;
    static constexpr std::int64_t kMostEpochs = 1000;

    std::int64_t sample = -1;
    std::int64_t epochsOfRun = 0;
    std::int64_t epochsToTell = 0;  // may be smaller: limited by kMostEpochs and by the amount of work
    std::vector<BiographyEntry> entries;

    bool isWhole() const { return std::ssize(entries) >= epochsToTell; }
};

// Returns a history without entries.
Biography begunBiography(const ShardScene& scene, std::int64_t sample);
// Returns the history with the entries of the next epochs, as many as fit into a few hundredths of a second.
Biography continued(const ShardScene& scene, Biography life, const std::atomic<bool>& stop);
Biography biography(const ShardScene& scene, std::int64_t sample, const std::atomic<bool>& stop);

// Explains how often each rank had the sample, compared with chance.
Explanation explainBiography(const ShardScene& scene, const Biography& life);
Explanation explainNobody(const ShardScene& scene);  // explains what to do while no sample is selected

}  // namespace ringside
