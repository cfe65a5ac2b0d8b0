// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/parting.h"

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

Parting partingOf(const Evidence& evidence, const ReplicaGroup& group,
                  const std::function<bool(const std::string&)>& accepts) {
    Parting parting;
    std::int64_t before = -1;
    for (const auto& [step, one] : evidence.find(group.ranks.front())->replicas) {
        const std::vector<const Replica*> reports = reportsOf(evidence, group, step);
        if (reports.empty()) continue;
        Differences differences = differencesOf(reports, accepts);
        if (differences.tensors == 0) continue;
        const bool differs = differences.different > 0;
        if (step == 0) {
            parting.knowsStart = true;
            parting.startsApart = differs;
            continue;
        }
        ++parting.compared;
        parting.parted += differs ? 1 : 0;
        parting.endsApart = differs;
        if (differs && parting.firstStep < 0) {
            parting.firstStep = step;
            parting.lastEqualStep = before;
            parting.names = std::move(differences.names);
            parting.different = differences.different;
            for (const std::size_t position : differences.positions) parting.ranks.push_back(group.ranks[position]);
        }
        parting.tensors = std::max(parting.tensors, differences.tensors);
        before = step;
    }
    return parting;
}

std::string tensorWords(const Parting& parting) {
    if (parting.names.empty()) return "no tensor";
    if (parting.different == 1) return parting.names[0];
    if (parting.different == 2 && parting.names.size() >= 2) return parting.names[0] + " and " + parting.names[1];
    return parting.names[0] + ", " + parting.names[1] + " and " + std::to_string(parting.different - 2) +
           (parting.different == 3 ? " more tensor" : " more tensors");
}

}  // namespace ringside
