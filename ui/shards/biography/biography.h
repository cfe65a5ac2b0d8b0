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
    std::int64_t epochsToTell = 0;  // may be fewer: kMostEpochs, and a bound on the work
    std::vector<BiographyEntry> entries;

    bool isWhole() const { return std::ssize(entries) >= epochsToTell; }
};

// Without entries yet.
Biography begunBiography(const ShardScene& scene, std::int64_t sample);
// With the entries of the next epochs, as many as a few hundredths of a second give.
Biography continued(const ShardScene& scene, Biography life, const std::atomic<bool>& stop);
Biography biography(const ShardScene& scene, std::int64_t sample, const std::atomic<bool>& stop);

// How often each rank had the sample, beside chance.
Explanation explainBiography(const ShardScene& scene, const Biography& life);
Explanation explainNobody(const ShardScene& scene);  // no sample is selected: what to do

}  // namespace ringside
