// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/replica_difference.h"

#include <algorithm>
#include <set>

namespace ringside {
namespace {

constexpr std::size_t kMaxNames = 64;

std::vector<const Replica*> reportsOf(const Evidence& evidence, const ReplicaGroup& group, std::int64_t step) {
    std::vector<const Replica*> reports;
    for (const int rank : group.ranks) {
        const auto& replicas = evidence.find(rank)->replicas;
        const auto found = replicas.find(step);
        if (found == replicas.end()) return {};
        if (!reports.empty() && found->second.names != reports.front()->names) return {};
        reports.push_back(&found->second);
    }
    return reports;
}

// Differences between the ranks of a group after one step.
struct Differences {
    std::int64_t tensors = 0;
    std::int64_t different = 0;
    std::vector<std::string> names;
    std::set<std::size_t> positions;  // positions in ReplicaGroup::ranks of the ranks that differ from the first one
};

Differences differencesOf(const std::vector<const Replica*>& reports,
                          const std::function<bool(const std::string&)>& accepts) {
    Differences result;
    const Replica& first = *reports.front();
    for (std::size_t i = 0; i < first.names.size(); ++i) {
        if (!accepts(first.names[i])) continue;
        ++result.tensors;
        bool differs = false;
        for (std::size_t rank = 1; rank < reports.size(); ++rank) {
            if (reports[rank]->checksums[i] == first.checksums[i]) continue;
            differs = true;
            result.positions.insert(rank);
        }
        if (!differs) continue;
        ++result.different;
        if (result.names.size() < kMaxNames) result.names.push_back(first.names[i]);
    }
    return result;
}

}  // namespace

ReplicaDifference compareReplicas(const Evidence& evidence, const ReplicaGroup& group,
                                  const std::function<bool(const std::string&)>& accepts) {
    ReplicaDifference result;
    std::int64_t before = -1;
    for (const auto& [step, one] : evidence.find(group.ranks.front())->replicas) {
        const std::vector<const Replica*> reports = reportsOf(evidence, group, step);
        if (reports.empty()) continue;
        Differences differences = differencesOf(reports, accepts);
        if (differences.tensors == 0) continue;
        const bool differs = differences.different > 0;
        if (step == 0) {
            result.isStartKnown = true;
            result.startsDifferent = differs;
            continue;
        }
        ++result.compared;
        result.differing += differs ? 1 : 0;
        result.endsDifferent = differs;
        if (differs && result.firstStep < 0) {
            result.firstStep = step;
            result.lastEqualStep = before;
            result.names = std::move(differences.names);
            result.different = differences.different;
            for (const std::size_t position : differences.positions) result.ranks.push_back(group.ranks[position]);
        }
        result.tensors = std::max(result.tensors, differences.tensors);
        before = step;
    }
    return result;
}

std::string tensorWords(const ReplicaDifference& difference) {
    if (difference.names.empty()) return "no tensor";
    if (difference.different == 1) return difference.names[0];
    if (difference.different == 2 && difference.names.size() >= 2)
        return difference.names[0] + " and " + difference.names[1];
    return difference.names[0] + ", " + difference.names[1] + " and " + std::to_string(difference.different - 2) +
           (difference.different == 3 ? " more tensor" : " more tensors");
}

}  // namespace ringside
