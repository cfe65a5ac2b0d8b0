// SPDX-License-Identifier: Apache-2.0
#include "comm/group_members.h"

#include <algorithm>

namespace ringside {

std::vector<GroupRequest> gatherGroupRequests(Communicator& communicator, GroupRequest own) {
    static_assert(sizeof(GroupRequest) == 2 * sizeof(std::int64_t));
    std::vector<GroupRequest> all(static_cast<std::size_t>(communicator.size()));
    communicator.allGather({&own, 2, CommType::kInt64}, {all.data(), 2 * all.size(), CommType::kInt64});
    return all;
}

GroupMembers membersOf(const std::vector<GroupRequest>& requests, int rank) {
    const auto requestOf = [&](int one) -> const GroupRequest& { return requests[static_cast<std::size_t>(one)]; };
    GroupMembers members;
    if (requestOf(rank).colour < 0) return members;
    for (int one = 0; one < static_cast<int>(requests.size()); ++one)
        if (requestOf(one).colour == requestOf(rank).colour) members.ranks.push_back(one);
    std::ranges::stable_sort(members.ranks, {}, [&](int one) { return requestOf(one).key; });
    members.own = static_cast<int>(std::ranges::find(members.ranks, rank) - members.ranks.begin());
    return members;
}

}  // namespace ringside
