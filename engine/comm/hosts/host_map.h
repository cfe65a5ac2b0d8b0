// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace ringside {

// Which ranks share a host. Hosts are numbered from 0 by their first rank.
class HostMap {
  public:
    // Any number a host, the same for the ranks on it.
    explicit HostMap(const std::vector<int>& hostOfRank);

    int ranks() const { return static_cast<int>(m_hosts.size()); }
    int hosts() const { return static_cast<int>(m_members.size()); }
    int hostOf(int rank) const { return m_hosts[static_cast<std::size_t>(rank)]; }
    int placeOf(int rank) const { return m_places[static_cast<std::size_t>(rank)]; }  // among those of its host
    const std::vector<int>& ranksOn(int host) const { return m_members[static_cast<std::size_t>(host)]; }
    // Ranks on every host, if it is the same number; else 0.
    int ranksPerHost() const;

  private:
    std::vector<int> m_hosts;
    std::vector<int> m_places;
    std::vector<std::vector<int>> m_members;
};

}  // namespace ringside
