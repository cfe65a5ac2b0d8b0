// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "watch/findings/replica_groups.h"

namespace ringside {

// Divergence of replicas: comparison of the parameter checksums of the ranks of a data-parallel group, after the steps
// whose checksums all these ranks have reported.
struct ReplicaDifference {
    std::int64_t compared = 0;     // number of compared steps; step 0, the state before the first step, does not count
    std::int64_t differing = 0;    // number of compared steps after which at least one tensor differs between ranks
    bool startsDifferent = false;  // true if the ranks differ before the first step; valid if isStartKnown
    bool isStartKnown = false;     // true if the checksums before the first step were compared
    bool endsDifferent = false;    // true if the ranks differ after the latest compared step
    std::int64_t firstStep = -1;   // first step with a difference; -1: no step has one
    std::int64_t lastEqualStep = -1;  // last compared step before firstStep; -1: there is none
    std::vector<std::string> names;   // names of the tensors that differ after firstStep, at most 64
    std::int64_t tensors = 0;         // number of tensors compared
    std::int64_t different = 0;       // number of tensors that differ after firstStep
    std::vector<int> ranks;           // ranks whose tensors differ from those of the lowest rank after firstStep
};

// Compares the tensors for whose names `accepts` returns true. Tensors are matched by position; steps at which the
// ranks report different names are skipped.
ReplicaDifference compareReplicas(const Evidence& evidence, const ReplicaGroup& group,
                                  const std::function<bool(const std::string&)>& accepts);

// Returns "0.weight", "0.weight and 0.bias" or "0.weight, 0.bias and 10 more tensors".
std::string tensorWords(const ReplicaDifference& difference);

}  // namespace ringside
