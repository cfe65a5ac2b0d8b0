// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "watch/findings/replica_groups.h"
#include "watch/findings/sample_identity.h"
#include "watch/findings/sampler_facts.h"

namespace ringside {

// One rank's loader in a LoaderGroup.
struct RankLoader {
    const RankEvidence* rank = nullptr;
    const LoaderEvidence* loader = nullptr;
    SamplerFacts sampler;
};

// Corresponding loaders of all ranks of a data-parallel group: the same line of the script iterates over them.
struct LoaderGroup {
    std::vector<RankLoader> ranks;
    bool isTrained = false;  // true if a backward pass has followed at least one batch

    std::string sourceLine() const { return ranks.front().loader->sourceLine(); }
    std::string createdAt() const { return ranks.front().loader->createdAt(); }
    // Returns the line that created the sampler. If it is not known, returns the line that created the loader.
    std::string samplerLine() const {
        const std::string& line = ranks.front().sampler.created;
        return line.empty() ? createdAt() : line;
    }
    std::vector<int> rankNumbers() const;
    // Returns kSame if the data sets of all ranks are known to be the same, kDifferent if the data sets of two ranks
    // are known to differ, otherwise kNotKnown.
    Sameness compareDataSets() const;
    bool isSharded() const;  // returns true if all ranks have a sampler that assigns samples to ranks
    bool isPlain() const;    // returns true if all ranks have a RandomSampler or SequentialSampler over the whole data
                             // set
    bool isPartial() const;  // returns true if some sampler does not draw each sample once
    bool isCreatedByTrainer()
        const;                // returns true if Accelerate or Lightning has created the loader or sampler of a rank
    bool hasIndices() const;  // returns true if all ranks have reported indices
};

// Matches the loaders of the ranks of each group. Loaders are the same if the same line of the script iterates over
// them; several loaders of one line are matched in the order of their numbers. Loaders that a rank does not use are
// left out.
std::vector<LoaderGroup> loaderGroupsOf(const Evidence& evidence, const ReplicaGroups& groups);

// trainedLoaders() returns the groups of loaders that are trained on, evaluatedLoaders() all other groups.
std::vector<LoaderGroup> trainedLoaders(const Evidence& evidence, const ReplicaGroups& groups);
std::vector<LoaderGroup> evaluatedLoaders(const Evidence& evidence, const ReplicaGroups& groups);

// Samples that the ranks of a group have trained on in one epoch, or evaluated in one pass.
struct Coverage {
    std::int64_t epoch = 0;
    bool isComplete = false;    // true if the pass of each rank has ended with an exhausted loader, and all indices are
                                // kept
    std::int64_t pool = -1;     // number of distinct samples that the loaders of all ranks can draw; -1: not known
    std::int64_t assigned = 0;  // number of samples assigned to all ranks, with repetitions
    std::int64_t distinct = 0;
    std::int64_t shared = 0;           // number of samples that at least two ranks have read
    std::int64_t never = 0;            // number of samples in the pool that no rank has read
    std::vector<std::int64_t> ofRank;  // number of distinct samples of each rank
};

// Computes the coverage of each epoch that all ranks have begun, in order. Empty if indices or Subsets are not known.
std::vector<Coverage> coveragesOf(const LoaderGroup& group);
// Computes the coverage of the first epoch if the script has left each of at least three epochs before its end, and all
// of them have the same samples in the same order.
std::optional<Coverage> coverageOfCutEpochs(const LoaderGroup& group);
// Computes which samples the ranks evaluate together: from the first complete pass of each rank in which no batch was
// trained.
std::vector<Coverage> evaluationsOf(const LoaderGroup& group);

}  // namespace ringside
