// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/replica_groups.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "watch/evidence/fact_reader.h"
#include "watch/findings/judgement.h"

namespace ringside {
namespace {

constexpr std::string_view kState = "state ";

bool isInEvidence(const Evidence& evidence, const std::vector<int>& ranks) {
    return std::ranges::all_of(ranks, [&](int rank) { return evidence.find(rank) != nullptr; });
}

std::vector<int> allRanks(const Evidence& evidence) {
    std::vector<int> ranks;
    for (const auto& [rank, one] : evidence.ranks()) ranks.push_back(rank);
    return ranks;
}

std::vector<int> ranksOf(const Evidence& evidence, const Json& facts) {
    std::vector<int> ranks;
    for (const std::int64_t one : numbersOf(facts, "ranks"))
        if (one >= 0 && one < evidence.worldSize()) ranks.push_back(static_cast<int>(one));
    if (ranks.empty() && textOf(facts, "kind") != "ddp") ranks = allRanks(evidence);
    std::ranges::sort(ranks);
    return ranks;
}

std::vector<ReplicaGroup> wrappedGroups(const Evidence& evidence) {
    std::vector<ReplicaGroup> groups;
    std::set<std::vector<int>> known;
    for (const auto& [rank, one] : evidence.ranks()) {
        for (const Json& facts : one.factsOf("data_parallel")) {
            std::vector<int> ranks = ranksOf(evidence, facts);
            if (ranks.size() < 2 || !isInEvidence(evidence, ranks) || !known.insert(ranks).second) continue;
            const auto kind = textOf(facts, "kind") == "ddp" ? ReplicaKind::kDdp : ReplicaKind::kSharded;
            groups.push_back({kind, std::move(ranks), textOf(facts, "where")});
        }
    }
    return groups;
}

bool hasFacts(const Evidence& evidence, const std::string& topic) {
    return std::ranges::any_of(evidence.ranks(), [&](const auto& one) { return !one.second.factsOf(topic).empty(); });
}

bool isSharded(const Evidence& evidence) {
    for (const auto& [rank, one] : evidence.ranks())
        for (const Json& facts : one.factsOf("optimizer"))
            if (numberOf(facts, "sharded", 0) > 0) return true;
    return false;
}

std::set<std::string> parameterNames(const RankEvidence& rank) {
    std::set<std::string> names;
    for (const auto& [step, one] : rank.replicas)
        for (const std::string& name : one.names)
            if (isParameterName(name)) names.insert(name);
    return names;
}

// True if all ranks optimize tensors of the same names, and each rank has reported a loss.
bool looksReplicated(const Evidence& evidence) {
    const RankEvidence& first = evidence.ranks().begin()->second;
    const std::set<std::string> names = parameterNames(first);
    return !names.empty() && std::ranges::all_of(evidence.ranks(), [&](const auto& one) {
        const auto& steps = one.second.steps;
        return parameterNames(one.second) == names &&
               std::ranges::any_of(steps, [](const StepRow& row) { return std::isfinite(row.loss); });
    });
}

// True if all ranks have the same loss in each step. Ranks that each hold a part of the model have equal losses,
// data-parallel ranks do not.
bool hasEqualLosses(const Evidence& evidence) {
    const auto& first = evidence.ranks().begin()->second.steps;
    return std::ranges::all_of(evidence.ranks(), [&](const auto& one) {
        const std::size_t common = std::min(first.size(), one.second.steps.size());
        return std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common), one.second.steps.begin(),
                          [](const StepRow& a, const StepRow& b) { return a.loss == b.loss; });
    });
}

bool areEverEqual(const Evidence& evidence) {
    const RankEvidence& first = evidence.ranks().begin()->second;
    return std::ranges::any_of(first.replicas, [&](const auto& entry) {
        return entry.first > 0 && std::ranges::all_of(evidence.ranks(), [&](const auto& one) {
                   const auto found = one.second.replicas.find(entry.first);
                   return found != one.second.replicas.end() && hasEqualParameters(found->second, entry.second);
               });
    });
}

ReplicaGroups noGroup(std::string why, bool isUnknown) {
    return {{}, std::move(why), isUnknown};
}

}  // namespace

bool isParameterName(const std::string& name) {
    return !name.starts_with(kState) && !isBatchNormName(name);
}

bool isBatchNormName(const std::string& name) {
    return name.ends_with("running_mean") || name.ends_with("running_var") || name.ends_with("num_batches_tracked");
}

bool hasEqualParameters(const Replica& one, const Replica& other) {
    if (one.hash == other.hash) return true;
    if (one.names != other.names)
        // lists of different tensors cannot be compared. Below, tensors are compared by position, because two wrapped
        // models can have tensors with equal names
        return false;
    for (std::size_t i = 0; i < one.names.size(); ++i)
        if (isParameterName(one.names[i]) && one.checksums[i] != other.checksums[i]) return false;
    return !one.names.empty();
}

ReplicaGroups replicaGroupsOf(const Evidence& evidence) {
    if (evidence.worldSize() < 2) return noGroup("the script trains on one rank", false);
    if (static_cast<int>(evidence.ranks().size()) < evidence.worldSize())
        return noGroup("only " + std::to_string(evidence.ranks().size()) + " of " +
                           std::to_string(evidence.worldSize()) + " ranks have reported",
                       true);
    if (std::ranges::none_of(evidence.ranks(), [](const auto& one) { return one.second.isDistributed(); }))
        return noGroup("the ranks have no common process group", false);
    std::vector<ReplicaGroup> groups = wrappedGroups(evidence);
    if (!groups.empty()) return {std::move(groups), {}, false};
    if (hasFacts(evidence, "pipeline")) return noGroup("the ranks are stages of a pipeline", false);
    if (isSharded(evidence)) return noGroup("each rank holds a part of each tensor", false);
    if (!looksReplicated(evidence))
        return noGroup(
            "without a wrapper such as DistributedDataParallel, the ranks optimize different parameters, or a rank has "
            "no loss",
            true);
    if (!areEverEqual(evidence) && hasEqualLosses(evidence))
        return noGroup("the ranks hold different parameters and have the same loss, as parts of one model do", true);
    return {{{ReplicaKind::kOwnLoop, allRanks(evidence), {}}}, {}, false};
}

Judgement explainMissingGroup(const ReplicaGroups& groups) {
    return groups.isUnknown ? couldNotJudge(groups.why) : skipped(groups.why);
}

}  // namespace ringside
