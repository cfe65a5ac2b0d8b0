// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace ringside {

// Assignment of ranks to hosts. Hosts are numbered from 0 in the order of their first rank.
class HostMap {
  public:
    // hostOfRank: an arbitrary number per host, equal for all ranks of the host.
    explicit HostMap(const std::vector<int>& hostOfRank);

    int rankCount() const { return static_cast<int>(m_hosts.size()); }
    int hostCount() const { return static_cast<int>(m_members.size()); }
    int hostOf(int rank) const { return m_hosts[static_cast<std::size_t>(rank)]; }
    // Returns the position of a rank among the ranks of its host, counted from 0 in the order of the ranks.
    int positionOnHost(int rank) const { return m_positions[static_cast<std::size_t>(rank)]; }
    const std::vector<int>& ranksOn(int host) const { return m_members[static_cast<std::size_t>(host)]; }
    // Returns the number of ranks per host if it is equal on all hosts, else 0.
    int ranksPerHost() const;

  private:
    std::vector<int> m_hosts;
    std::vector<int> m_positions;
    std::vector<std::vector<int>> m_members;
};

}  // namespace ringside
