// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/rank_hosts.h"

#include <algorithm>

namespace ringside {

std::vector<HostGroup> hostGroups(const RunData& run) {
    std::vector<HostGroup> groups;
    for (std::size_t rank = 0; rank < run.ranks().size(); ++rank) {
        const QString host = QString::fromStdString(run.ranks()[rank].host);
        auto found = std::ranges::find(groups, host, &HostGroup::host);
        if (found == groups.end()) {
            groups.push_back({host, {}});
            found = std::prev(groups.end());
        }
        found->ranks.push_back(static_cast<int>(rank));
    }
    if (groups.size() < 2 || groups.size() == run.ranks().size()) return {};
    return groups;
}

}  // namespace ringside
