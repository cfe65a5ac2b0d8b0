// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "watch/audit/data_groups.h"
#include "watch/audit/recorded_facts.h"

namespace ringside {

// Corresponding DataLoaders of all ranks in one attempt: the same line of the script creates them. An attempt is one
// start of all ranks by the launcher.
struct LoaderStream {
    std::string where{};  // line that creates the loader, such as "train.py:48"
    // if the line creates several training loaders or several evaluation loaders: number of this one among them, from
    // 1; otherwise 0
    int numberOfLine = 0;
    bool isTraining = false;                // true if at least one batch was trained on
    bool isEvaluation = false;              // true if at least one rank is known to evaluate its batches
    std::map<int, std::int64_t> loaders{};  // number of each rank's loader, by rank
    std::int64_t lastEpoch = -1;            // number of the last epoch in this attempt; only for training
    std::int64_t firstEpoch = 0;            // number that epoch 0 of this attempt has in the whole chain of runs
    bool continuesEpoch = false;            // true if epoch 0 continues an epoch that the previous attempt has not
                                            // finished
};

// One attempt (start of all ranks) in a chain of runs, with its loaders in order.
struct ChainedAttempt {
    const AttemptFacts* facts = nullptr;
    DataGroups groups{};
    std::vector<LoaderStream> training{}, validation{};
    // loaders whose batches may be trained on after the script has copied them to memory
    std::vector<LoaderStream> unknown{};

    // Returns the position in `training` or `validation` of a rank's loader, or -1.
    int find(const std::vector<LoaderStream>& streams, int rank, std::int64_t loader) const;
    int groupOf(int rank) const;  // returns the group of the rank; 0 for an unknown rank
};

// Returns the attempts of a chain of runs, oldest first, and numbers their epochs consecutively over all attempts. The
// facts must outlive the result. If the last epoch of an attempt is unfinished, the next attempt continues this epoch,
// unless the sampler of the next attempt begins with a later epoch.
std::vector<ChainedAttempt> chainAttempts(const std::vector<const AttemptFacts*>& attempts);

// True if the pass has delivered all batches of its loader. The script need not have requested a batch after the last
// one: Lightning, for example, does not.
bool hasReadAll(const PassFacts& pass, const LoaderFacts& loader);
// True if each rank has read all batches of its loader in this epoch of the attempt.
bool isFinished(const AttemptFacts& attempt, const LoaderStream& stream, std::int64_t epoch);

}  // namespace ringside
