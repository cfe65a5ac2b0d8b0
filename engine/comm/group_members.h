// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.h"

namespace ringside {

// Arguments that one rank passes to Communicator::split(), as sent to the other ranks.
struct GroupRequest {
    std::int64_t colour = -1;
    std::int64_t key = 0;
};

// Ranks of a sub-group, and the number of one of these ranks within the sub-group.
struct GroupMembers {
    std::vector<int> ranks;  // ranks in the parent communicator, in the order of the group
    int own = -1;            // number of this rank in the group; -1 if it is not a member
};

// Gathers the arguments of split() from all ranks, indexed by rank. Collective over `communicator`.
std::vector<GroupRequest> gatherGroupRequests(Communicator& communicator, GroupRequest own);

// Returns the group of `rank`: all ranks with its colour, ordered by key and then by rank. Empty if the colour of
// `rank` is negative.
GroupMembers membersOf(const std::vector<GroupRequest>& requests, int rank);

}  // namespace ringside
