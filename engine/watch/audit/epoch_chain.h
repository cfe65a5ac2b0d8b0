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

// The DataLoaders of all ranks that one line of a script creates, in one attempt (start of the script).
struct LoaderStream {
    std::string where{};        // line that creates the loader, such as "train.py:48"
    int numberOfLine = 0;       // number, from 1, among the loaders with this line and role; 0: the only one
    bool isTraining = false;    // true if at least one batch was trained on
    bool isEvaluation = false;  // true if at least one rank is known to evaluate its batches
    std::map<int, std::int64_t> loaders{};  // number of each rank's loader, by rank
    std::int64_t lastEpoch = -1;            // number of the last epoch within the attempt; for training only
    std::int64_t firstEpoch = 0;            // number, within the chain of runs, of epoch 0 of this attempt
    bool continuesEpoch = false;            // true if epoch 0 continues an epoch that the previous attempt has not
                                            // finished
};

// One attempt of a chain of runs, with its loaders in order.
struct ChainedAttempt {
    const AttemptFacts* facts = nullptr;
    DataGroups groups{};
    std::vector<LoaderStream> training{}, validation{};
    std::vector<LoaderStream> unknown{};  // loaders whose batches the ranks may train on from memory

    // Returns the position in `training` or `validation` of a rank's loader, or -1.
    int find(const std::vector<LoaderStream>& streams, int rank, std::int64_t loader) const;
    int groupOf(int rank) const;  // returns the group of the rank; 0 for an unknown rank
};

// Returns the attempts of a chain of runs, oldest first, and numbers their epochs consecutively over the chain. The
// facts must outlive the result. If an attempt has left its last epoch unfinished, the next attempt continues this
// epoch, unless the sampler of the next attempt begins with a later epoch.
std::vector<ChainedAttempt> chainAttempts(const std::vector<const AttemptFacts*>& attempts);

// True if the pass has delivered all batches of its loader. The script may have left the iterator after the last batch
// without requesting a further batch, as Lightning does.
bool hasReadAll(const PassFacts& pass, const LoaderFacts& loader);
// True if each rank has read all batches of its loader in this epoch of the attempt.
bool isFinished(const AttemptFacts& attempt, const LoaderStream& stream, std::int64_t epoch);

}  // namespace ringside
