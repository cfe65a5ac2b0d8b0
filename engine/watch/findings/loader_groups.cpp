// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/loader_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

using Key = std::pair<std::string, int>;  // line that creates the loader, and number of the loader among those of this
                                          // line

std::map<Key, const LoaderEvidence*> keyed(const RankEvidence& rank) {
    std::map<Key, const LoaderEvidence*> loaders;
    std::map<std::string, int> ofLine;
    for (const auto& [id, loader] : rank.loaders) {
        const std::string where = loader.sourceLine();
        loaders[{where, ofLine[where]++}] = &loader;
    }
    return loaders;
}

std::vector<LoaderGroup> loadersOf(const Evidence& evidence, const ReplicaGroup& replicas) {
    std::vector<std::map<Key, const LoaderEvidence*>> byRank;
    for (const int rank : replicas.ranks) byRank.push_back(keyed(*evidence.find(rank)));
    std::vector<LoaderGroup> groups;
    for (const auto& [key, first] : byRank.front()) {
        LoaderGroup group;
        for (std::size_t i = 0; i < byRank.size(); ++i) {
            const auto found = byRank[i].find(key);
            if (found == byRank[i].end()) break;
            group.ranks.push_back({evidence.find(replicas.ranks[i]), found->second, samplerOf(found->second->facts)});
            group.isTrained = group.isTrained || found->second->hasTrainedBatch();
        }
        if (group.ranks.size() == byRank.size()) groups.push_back(std::move(group));
    }
    return groups;
}

// Samples of one rank that a coverage is computed from.
struct SamplesOfRank {
    std::vector<std::int64_t> samples;
    bool isComplete = false;
};

std::vector<std::int64_t> sortedDistinct(std::vector<std::int64_t> numbers) {
    std::ranges::sort(numbers);
    const auto rest = std::ranges::unique(numbers);
    numbers.erase(rest.begin(), rest.end());
    return numbers;
}

// Returns all samples that the loaders of the group can draw, ascending and without duplicates; empty if not known.
std::vector<std::int64_t> poolOf(const LoaderGroup& group) {
    std::vector<std::int64_t> pool;
    for (const RankLoader& one : group.ranks) {
        const std::vector<std::int64_t> own = SampleSource(*one.rank, *one.loader).pool();
        if (own.empty()) return {};
        if (own != pool) pool.insert(pool.end(), own.begin(), own.end());
    }
    return sortedDistinct(std::move(pool));
}

Coverage coverageOf(const LoaderGroup& group, std::vector<SamplesOfRank> ranks) {
    Coverage coverage;
    coverage.isComplete = true;
    std::vector<std::int64_t> readings;  // distinct samples of each rank, in one list
    for (SamplesOfRank& rank : ranks) {
        coverage.isComplete = coverage.isComplete && rank.isComplete;
        coverage.assigned += static_cast<std::int64_t>(rank.samples.size());
        const std::vector<std::int64_t> distinct = sortedDistinct(std::move(rank.samples));
        coverage.ofRank.push_back(static_cast<std::int64_t>(distinct.size()));
        readings.insert(readings.end(), distinct.begin(), distinct.end());
    }
    std::ranges::sort(readings);
    std::vector<std::int64_t> distinct;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const bool isFirst = i == 0 || readings[i] != readings[i - 1];
        const bool isSecond = !isFirst && (i == 1 || readings[i] != readings[i - 2]);
        if (isFirst) distinct.push_back(readings[i]);
        if (isSecond) ++coverage.shared;
    }
    coverage.distinct = static_cast<std::int64_t>(distinct.size());
    const std::vector<std::int64_t> pool = poolOf(group);
    if (pool.empty()) return coverage;
    coverage.pool = static_cast<std::int64_t>(pool.size());
    std::vector<std::int64_t> never;
    std::ranges::set_difference(pool, distinct, std::back_inserter(never));
    coverage.never = static_cast<std::int64_t>(never.size());
    return coverage;
}

bool isExhausted(const LoaderEvidence& loader, std::int64_t epoch) {
    return std::ranges::any_of(loader.passes, [epoch](const auto& one) {
        return one.second.epoch == epoch && one.second.isExhausted && one.second.untrained == 0;
    });
}

std::optional<SamplesOfRank> trainedIn(const RankLoader& one, std::int64_t epoch) {
    const SampleSource source(*one.rank, *one.loader);
    const auto found = one.loader->epochs.find(epoch);
    if (found == one.loader->epochs.end() || !source.isKnown() || !found->second.isWhole()) return {};
    return SamplesOfRank{source.samplesOf(found->second.all()), isExhausted(*one.loader, epoch)};
}

std::optional<SamplesOfRank> evaluatedBy(const RankLoader& one) {
    const SampleSource source(*one.rank, *one.loader);
    for (const auto& [number, pass] : one.loader->passes) {
        const bool isWhole = pass.hasEnded && pass.isExhausted && pass.trained == 0 && pass.evaluated.isWhole();
        if (isWhole && source.isKnown() && pass.evaluated.count() > 0)
            return SamplesOfRank{source.samplesOf(pass.evaluated.all()), true};
    }
    return {};
}

template <class Get>
std::optional<Coverage> coverageBy(const LoaderGroup& group, const Get& get) {
    std::vector<SamplesOfRank> ranks;
    for (const RankLoader& one : group.ranks) {
        std::optional<SamplesOfRank> samples = get(one);
        if (!samples) return {};
        ranks.push_back(std::move(*samples));
    }
    return coverageOf(group, std::move(ranks));
}

template <class Predicate>
bool all(const LoaderGroup& group, const Predicate& predicate) {
    return std::ranges::all_of(group.ranks, predicate);
}

}  // namespace

std::vector<int> LoaderGroup::rankNumbers() const {
    std::vector<int> numbers;
    for (const RankLoader& one : ranks) numbers.push_back(one.rank->rank);
    return numbers;
}

Sameness LoaderGroup::compareDataSets() const {
    Sameness result = Sameness::kSame;
    const RankLoader& first = ranks.front();
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        const Sameness one = compareSources(*first.rank, *first.loader, *ranks[i].rank, *ranks[i].loader);
        if (one == Sameness::kDifferent) return one;
        if (one == Sameness::kNotKnown) result = one;
    }
    return result;
}

bool LoaderGroup::isSharded() const {
    return all(*this, [](const RankLoader& one) { return one.sampler.isSharded(); });
}
bool LoaderGroup::isPlain() const {
    return all(*this, [](const RankLoader& one) {
        return one.sampler.isPlain && !one.sampler.isPartial && !one.sampler.isSharded() &&
               !one.sampler.isCreatedByTrainer;
    });
}
bool LoaderGroup::isPartial() const {
    return !all(*this, [](const RankLoader& one) { return !one.sampler.isPartial; });
}
bool LoaderGroup::isCreatedByTrainer() const {
    return !all(*this, [](const RankLoader& one) { return !one.sampler.isCreatedByTrainer; });
}
bool LoaderGroup::hasIndices() const {
    return all(*this, [](const RankLoader& one) { return one.loader->isTrained(); });
}

std::vector<LoaderGroup> loaderGroupsOf(const Evidence& evidence, const ReplicaGroups& groups) {
    std::vector<LoaderGroup> all;
    for (const ReplicaGroup& one : groups.groups) {
        std::vector<LoaderGroup> loaders = loadersOf(evidence, one);
        std::ranges::move(loaders, std::back_inserter(all));
    }
    return all;
}

std::vector<LoaderGroup> trainedLoaders(const Evidence& evidence, const ReplicaGroups& groups) {
    std::vector<LoaderGroup> loaders = loaderGroupsOf(evidence, groups);
    std::erase_if(loaders, [](const LoaderGroup& one) { return !one.isTrained; });
    return loaders;
}

std::vector<LoaderGroup> evaluatedLoaders(const Evidence& evidence, const ReplicaGroups& groups) {
    std::vector<LoaderGroup> loaders = loaderGroupsOf(evidence, groups);
    std::erase_if(loaders, [](const LoaderGroup& group) {
        return group.isTrained || !all(group, [](const RankLoader& one) { return one.rank->evaluates(*one.loader); });
    });
    return loaders;
}

std::vector<Coverage> coveragesOf(const LoaderGroup& group) {
    std::vector<Coverage> coverages;
    for (const auto& [epoch, list] : group.ranks.front().loader->epochs) {
        auto coverage = coverageBy(group, [epoch](const RankLoader& one) { return trainedIn(one, epoch); });
        if (!coverage) continue;
        coverage->epoch = epoch;
        coverages.push_back(std::move(*coverage));
    }
    return coverages;
}

std::optional<Coverage> coverageOfCutEpochs(const LoaderGroup& group) {
    constexpr std::size_t kMinEpochs = 3;
    std::size_t epochs = 0;
    for (const RankLoader& one : group.ranks) {
        std::size_t cut = 0;
        for (const auto& [number, pass] : one.loader->passes) {
            if (!pass.hasEnded || !pass.epoch) continue;
            if (pass.isExhausted) return {};
            const auto list = one.loader->epochs.find(*pass.epoch);
            const auto first = one.loader->epochs.find(0);
            if (list == one.loader->epochs.end() || first == one.loader->epochs.end()) return {};
            if (!std::ranges::equal(list->second.all(), first->second.all())) return {};
            ++cut;
        }
        epochs = &one == &group.ranks.front() ? cut : std::min(epochs, cut);
    }
    if (epochs < kMinEpochs) return {};
    return coverageBy(group, [](const RankLoader& one) { return trainedIn(one, 0); });
}

std::vector<Coverage> evaluationsOf(const LoaderGroup& group) {
    auto coverage = coverageBy(group, evaluatedBy);
    if (!coverage) return {};
    return {std::move(*coverage)};
}

}  // namespace ringside
