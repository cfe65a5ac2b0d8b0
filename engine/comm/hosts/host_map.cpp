// SPDX-License-Identifier: Apache-2.0
#include "comm/hosts/host_map.h"

#include <algorithm>
#include <map>

namespace ringside {

HostMap::HostMap(const std::vector<int>& hostOfRank) {
    std::map<int, int> numbers;
    for (const int name : hostOfRank) {
        const int host = numbers.emplace(name, hostCount()).first->second;
        if (host == hostCount()) m_members.emplace_back();
        std::vector<int>& members = m_members[static_cast<std::size_t>(host)];
        m_positions.push_back(static_cast<int>(members.size()));
        members.push_back(static_cast<int>(m_hosts.size()));
        m_hosts.push_back(host);
    }
}

int HostMap::ranksPerHost() const {
    const std::size_t first = m_members.front().size();
    const bool same = std::ranges::all_of(m_members, [&](const auto& members) { return members.size() == first; });
    return same ? static_cast<int>(first) : 0;
}

}  // namespace ringside
