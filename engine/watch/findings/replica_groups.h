// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watch/evidence/evidence.h"

namespace ringside {

// Relation between the parameters of a group's ranks.
enum class ReplicaKind : std::uint8_t {
    kDdp,      // wrapper DistributedDataParallel, which keeps the parameters equal
    kSharded,  // wrapper fully_shard or FSDP: each rank holds a part of the parameters
    kOwnLoop,  // no wrapper: the script itself has to keep the parameters equal
};

// Ranks that train one model on different samples: the data-parallel dimension.
struct ReplicaGroup {
    ReplicaKind kind = ReplicaKind::kDdp;
    std::vector<int> ranks;  // ranks of the group in ascending order, at least two
    std::string where;       // line that wraps the model; empty without a wrapper
};

// Data-parallel groups of a run.
struct ReplicaGroups {
    std::vector<ReplicaGroup> groups;
    std::string why;  // reason why there is no group
    // True if there is no group because evidence is missing; false if the ranks are known not to be data-parallel.
    bool isUnknown = false;
};

// Finds the data-parallel groups. Groups of a wrapper are known from its facts. Without a wrapper, ranks form a group
// if their parameters are replicas: equal after a step, or never made equal although no rank holds a part of the model.
// Ranks of tensor parallelism and of pipelines read the same samples on purpose and form no group.
ReplicaGroups replicaGroupsOf(const Evidence& evidence);

// Converts the reason for an empty list of groups to the judgement of a check that applies to data-parallel groups
// only.
struct Judgement;
Judgement explainMissingGroup(const ReplicaGroups& groups);

// True if the names and checksums of both ranks' parameters were reported after the same step and are equal.
bool hasEqualParameters(const Replica& one, const Replica& other);

// True for the name of a parameter, false for buffers of batch normalisation and for optimizer state.
bool isParameterName(const std::string& name);
bool isBatchNormName(const std::string& name);

}  // namespace ringside
