// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "watch/evidence/fact_reader.h"
#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"
#include "watch/findings/loader_groups.h"

namespace ringside {
namespace {

constexpr std::size_t kMinIndices = 8;  // least number of compared indices, because a shuffled order of fewer samples
                                        // can repeat by chance

Json samplersOf(const LoaderGroup& group) {
    Json list = Json::array();
    for (const RankLoader& one : group.ranks) {
        Json entry = {{"rank", one.rank->rank}, {"sampler", one.sampler.shortKind()}};
        if (one.sampler.replicas) entry["num_replicas"] = *one.sampler.replicas;
        if (one.sampler.rank) entry["sampler_rank"] = *one.sampler.rank;
        if (one.sampler.seed) entry["seed"] = *one.sampler.seed;
        list.push_back(std::move(entry));
    }
    return list;
}

bool hasReplicas(const LoaderGroup& group) {
    return std::ranges::all_of(group.ranks, [](const RankLoader& one) { return one.sampler.replicas.has_value(); });
}

// True if the samplers of a group divide the samples among exactly the ranks of the group.
bool dividesRight(const LoaderGroup& group) {
    const auto size = static_cast<std::int64_t>(group.ranks.size());
    std::set<std::int64_t> ranks;
    for (const RankLoader& one : group.ranks) {
        if (one.sampler.replicas != size) return false;
        const std::int64_t rank = one.sampler.rank.value_or(-1);
        if (rank >= 0 && rank < size) ranks.insert(rank);
    }
    return ranks.size() == group.ranks.size();
}

std::string samplerRankText(const LoaderGroup& group) {
    const auto size = static_cast<std::int64_t>(group.ranks.size());
    const SamplerFacts& first = group.ranks.front().sampler;
    const bool wrongSize =
        std::ranges::any_of(group.ranks, [&](const auto& one) { return one.sampler.replicas != size; });
    if (wrongSize)
        return "The " + first.shortKind() + " of the training loader divides the samples among " +
               counted(first.replicas.value_or(0), "rank") + ", but " + counted(size, "rank") + " train together.";
    std::string list;
    for (const RankLoader& one : group.ranks)
        list += (list.empty() ? "" : ", ") + std::to_string(one.sampler.rank.value_or(-1));
    return "The " + first.shortKind() + " of the training loader uses the rank numbers " + list + " on " +
           rankWords(group.rankNumbers()) + ": the ranks do not read different parts.";
}

// Order of the trained samples of one epoch of a loader, and the epoch that the script had set on the sampler.
struct EpochOrder {
    std::int64_t epoch = 0;
    std::optional<std::int64_t> samplerEpoch;
    std::span<const std::uint32_t> order;
};

std::vector<EpochOrder> ordersOf(const LoaderEvidence& loader) {
    std::vector<EpochOrder> orders;
    for (const auto& [number, pass] : loader.passes) {
        const auto epoch = loader.epochOf(number);
        const auto list = epoch ? loader.epochs.find(*epoch) : loader.epochs.end();
        if (list != loader.epochs.end() && list->second.all().size() >= kMinIndices)
            orders.push_back({*epoch, pass.samplerEpoch, list->second.all()});
    }
    return orders;
}

bool hasEqualOrder(const EpochOrder& one, const EpochOrder& other) {
    const std::size_t common = std::min(one.order.size(), other.order.size());
    return std::ranges::equal(one.order.first(common), other.order.first(common));
}

// Returns the reason why two consecutive epochs of a DistributedSampler have the same order. If the sampler's epoch
// differs between other epochs, the script calls set_epoch(), but too late.
std::string epochReason(const std::vector<EpochOrder>& orders) {
    const bool isSet = std::ranges::any_of(
        orders, [&](const EpochOrder& one) { return one.samplerEpoch != orders.front().samplerEpoch; });
    return isSet ? ": the sampler had the same epoch at the start of both epochs. set_epoch() has an effect only "
                   "before iter()."
                 : ": set_epoch() was not called between them.";
}

std::string shuffleReason(const std::vector<EpochOrder>&) {
    return ", although its sampler shuffles.";
}

// True if an order of samples is shuffled. An ascending order is not, nor is one with a single sample that is less than
// the one before it, which may be the first of those that fill a shard.
bool isShuffled(const EpochOrder& one) {
    std::int64_t descents = 0;
    for (std::size_t i = 1; i < one.order.size(); ++i) descents += one.order[i] < one.order[i - 1];
    return descents >= 2;
}

// True for a sampler of the script that has an epoch and shuffles, although it does not report that it divides samples
// among ranks.
bool isOwnWithEpoch(const SamplerFacts& sampler, const std::vector<EpochOrder>& orders) {
    const bool mayShuffle = sampler.shuffle.value_or(sampler.seed.has_value());
    if (sampler.isCreatedByTrainer || !mayShuffle || orders.empty()) return false;
    return std::ranges::all_of(orders,
                               [](const EpochOrder& one) { return one.samplerEpoch.has_value() && isShuffled(one); });
}

// Finds two consecutive epochs of one loader that have the same order of samples.
template <class Applies, class Reason>
Judgement judgeOrders(const Evidence& evidence, const Applies& applies, const Reason& reason) {
    bool hasLoader = false, hasTwo = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        for (const auto& [id, loader] : one.loaders) {
            const std::vector<EpochOrder> orders = ordersOf(loader);
            if (!loader.isTrained() || !applies(samplerOf(loader.facts), orders)) continue;
            hasLoader = true;
            for (std::size_t i = 1; i < orders.size(); ++i) {
                hasTwo = true;
                if (!hasEqualOrder(orders[i - 1], orders[i]) || orders[i - 1].samplerEpoch != orders[i].samplerEpoch)
                    continue;
                Json facts = {{"rank", rank}, {"loader", id}, {"epochs", {orders[i - 1].epoch, orders[i].epoch}}};
                if (orders[i].samplerEpoch) facts["sampler_epoch"] = *orders[i].samplerEpoch;
                const auto count =
                    static_cast<std::int64_t>(std::min(orders[i - 1].order.size(), orders[i].order.size()));
                facts["equal_indices"] = count;
                return found("Rank " + std::to_string(rank) + " trains on the same order of " +
                                 counted(count, "sample") + " in epochs " + std::to_string(orders[i - 1].epoch + 1) +
                                 " and " + std::to_string(orders[i].epoch + 1) + reason(orders),
                             loader.sourceLine(), std::move(facts));
            }
        }
    }
    if (!hasLoader) return skipped("no training loader has such a sampler");
    return hasTwo ? passed() : couldNotJudge("fewer than two epochs were seen");
}

std::int64_t workersOf(const LoaderEvidence& loader) {
    return numberOf(loader.facts, "num_workers", 0);
}

// True if two batches contain the same samples in the same order.
bool isCopy(const BatchContent& one, const BatchContent& other) {
    const std::set<std::int64_t> different(one.samples.begin(), one.samples.end());
    return different.size() >= 2 && one.samples == other.samples && one.labels == other.labels;
}

}  // namespace

Judgement judgeSamplerRank(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    bool hasSampler = false;
    for (const LoaderGroup& group : trainedLoaders(evidence, groups)) {
        if (!hasReplicas(group)) continue;
        hasSampler = true;
        if (!dividesRight(group))
            return found(samplerRankText(group), group.samplerLine(),
                         {{"ranks", group.ranks.size()}, {"samplers", samplersOf(group)}});
    }
    return hasSampler ? passed() : skipped("no training loader has a sampler that divides samples among ranks");
}

Judgement judgeSamplerSeed(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    bool hasSampler = false;
    for (const LoaderGroup& group : trainedLoaders(evidence, groups)) {
        if (!group.isSharded()) continue;
        std::set<std::int64_t> seeds;
        for (const RankLoader& one : group.ranks)
            if (one.sampler.seed && one.sampler.shuffles()) seeds.insert(*one.sampler.seed);
        hasSampler = hasSampler || !seeds.empty();
        if (seeds.size() < 2) continue;
        Json facts = {{"samplers", samplersOf(group)}};
        std::string seen;
        for (const Coverage& one : coveragesOf(group)) {
            if (one.shared == 0) continue;
            seen = ": " + counted(one.shared, "sample") + " of epoch " + std::to_string(one.epoch + 1) +
                   " went to more than one rank";
            facts["shared"] = one.shared;
            break;
        }
        return found("The samplers of " + rankWords(group.rankNumbers()) + " shuffle with " +
                         counted(static_cast<std::int64_t>(seeds.size()), "different seed") + seen + ".",
                     group.samplerLine(), std::move(facts));
    }
    return hasSampler ? passed()
                      : skipped("no training loader has a shuffling sampler that divides samples among ranks");
}

Judgement judgeSetEpoch(const Evidence& evidence) {
    return judgeOrders(
        evidence,
        [](const SamplerFacts& one, const std::vector<EpochOrder>& orders) {
            return (one.replicas && one.shuffles() && one.rank) || isOwnWithEpoch(one, orders);
        },
        epochReason);
}

Judgement judgeRepeatedOrder(const Evidence& evidence) {
    return judgeOrders(
        evidence,
        [](const SamplerFacts& one, const std::vector<EpochOrder>&) {
            return one.isRandom && !one.replicas && !one.isPartial;
        },
        shuffleReason);
}

Judgement judgeWorkerCopies(const Evidence& evidence) {
    bool hasLoader = false, hasContent = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        for (const auto& [id, loader] : one.loaders) {
            const bool isIterable =
                !loader.isTrained() && !loader.passes.empty() && loader.passes.begin()->second.evaluated.count() == 0;
            if (!isIterable || workersOf(loader) < 2) continue;
            hasLoader = true;
            for (const auto& [number, pass] : loader.passes) {
                for (std::size_t i = 1; i < pass.contents.size(); ++i) {
                    hasContent = true;
                    if (pass.contents[i].batch != pass.contents[i - 1].batch + 1 ||
                        !isCopy(pass.contents[i], pass.contents[i - 1]))
                        continue;
                    return found("Batches " + std::to_string(pass.contents[i - 1].batch + 1) + " and " +
                                     std::to_string(pass.contents[i].batch + 1) + " of rank " + std::to_string(rank) +
                                     " hold the same samples: each of the " + std::to_string(workersOf(loader)) +
                                     " workers reads the whole IterableDataset.",
                                 loader.sourceLine(),
                                 {{"rank", rank},
                                  {"loader", id},
                                  {"pass", number},
                                  {"num_workers", workersOf(loader)},
                                  {"sample_crc32", pass.contents[i].samples}});
                }
            }
        }
    }
    if (!hasLoader) return skipped("no loader reads an IterableDataset with two or more workers");
    return hasContent ? passed() : couldNotJudge("the contents of no two consecutive batches are known");
}

}  // namespace ringside
