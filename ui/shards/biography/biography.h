// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <iterator>
#include <vector>

#include "shards/scene/explanation.h"

namespace ringside {

// What becomes of one sample in one epoch.
struct BiographyEntry {
    std::int64_t epoch = 0;
    std::vector<SamplePlace> places;        // none: the sampler drops it
    std::vector<std::uint32_t> batchMates;  // of the first place's step on its rank, without itself
    std::int64_t steps = 0;                 // of the epoch
};

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
