// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/data_groups.h"

#include <algorithm>
#include <map>

namespace ringside {
namespace {

// Union-find structure of ranks: joins ranks that average or shard gradients with each other into one group.
class Connected {
  public:
    explicit Connected(const AttemptFacts& attempt) {
        for (const auto& [rank, facts] : attempt) m_parent[rank] = rank;
    }
    int root(int rank) {
        while (m_parent.at(rank) != rank) rank = m_parent.at(rank);
        return rank;
    }
    void join(const std::vector<int>& ranks) {
        for (const int rank : ranks) {
            if (m_parent.contains(rank) && m_parent.contains(ranks.front()))
                m_parent[std::max(root(rank), root(ranks.front()))] = std::min(root(rank), root(ranks.front()));
        }
    }

  private:
    std::map<int, int> m_parent;
};

std::vector<int> ranksOf(const AttemptFacts& attempt) {
    std::vector<int> ranks;
    for (const auto& [rank, facts] : attempt) ranks.push_back(rank);
    return ranks;
}

// Returns the ranks of a group; group 0 contains all ranks.
std::vector<int> ranksOfGroup(const AttemptFacts& attempt, const RankFacts& facts, std::int64_t group) {
    const auto found = facts.groups.find(group);
    if (found != facts.groups.end()) return found->second;
    return group == 0 ? ranksOf(attempt) : std::vector<int>();
}

}  // namespace

DataGroups dataGroups(const AttemptFacts& attempt) {
    Connected connected(attempt);
    bool known = false;
    bool hasPipeline = false;
    for (const auto& [rank, facts] : attempt) {
        hasPipeline |= facts.hasPipeline;
        for (const std::vector<int>& ranks : facts.dataParallel) {
            connected.join(ranks);
            known = true;
        }
        for (const std::int64_t group : facts.shardGroups) {
            const std::vector<int> ranks = ranksOfGroup(attempt, facts, group);
            if (!ranks.empty()) connected.join(ranks);
            known |= !ranks.empty();
        }
    }
    DataGroups result;
    if (!known && !hasPipeline) {
        result.groups = {ranksOf(attempt)};
        result.isAssumed = attempt.size() > 1;
        return result;
    }
    std::map<int, std::vector<int>> byRoot;
    for (const auto& [rank, facts] : attempt) byRoot[connected.root(rank)].push_back(rank);
    for (auto& [root, ranks] : byRoot) result.groups.push_back(std::move(ranks));
    return result;
}

}  // namespace ringside
