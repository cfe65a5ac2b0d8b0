// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <iterator>
#include <vector>

#include "sampling/findings/sample_history.h"
#include "shards/scene/explanation.h"

namespace ringside {

struct SampleHistory {
    static constexpr std::int64_t kMaxMates = 256;
    static constexpr std::int64_t kMaxEpochs = 1000;

    std::int64_t sample = -1;
    std::int64_t epochsOfRun = 0;
    std::int64_t epochLimit = 0;  // number of epochs that the history will contain; limited by kMaxEpochs and by the
                                  // amount of work
    std::vector<SampleHistoryEntry> entries;

    bool isWhole() const { return std::ssize(entries) >= epochLimit; }
};

// Returns a history without entries.
SampleHistory emptySampleHistory(const ShardScene& scene, std::int64_t sample);
// Returns the history with entries of further epochs appended: as many as can be computed in a few hundredths of a
// second.
SampleHistory extendHistory(const ShardScene& scene, SampleHistory history, const std::atomic<bool>& stop);
SampleHistory sampleHistory(const ShardScene& scene, std::int64_t sample, const std::atomic<bool>& stop);

// Explains how often and by how many ranks the sample is trained in the epochs of the history, compared with chance.
Explanation explainSampleHistory(const ShardScene& scene, const SampleHistory& history);
Explanation explainNoSelection(const ShardScene& scene);  // explains what to do while no sample is selected

}  // namespace ringside
