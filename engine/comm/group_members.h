// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.h"

namespace ringside {

// What a rank asks of Communicator::split(), as one message.
struct GroupWish {
    std::int64_t colour = -1;
    std::int64_t key = 0;
};

// A group as one of its ranks sees it.
struct GroupMembers {
    std::vector<int> ranks;  // of the communicator that is split, in the group's order
    int own = -1;            // this rank's place among them
};

// Everybody's wishes, by rank: a collective of the communicator.
std::vector<GroupWish> exchangeWishes(Communicator& communicator, GroupWish own);

// Whom a rank shares its colour with, ordered by key and then by rank; nobody for a colour below 0.
GroupMembers membersOf(const std::vector<GroupWish>& wishes, int rank);

}  // namespace ringside
