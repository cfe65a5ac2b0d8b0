// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "watch/evidence/fact_reader.h"
#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"
#include "watch/findings/loader_groups.h"

// These checks compare samples only between the ranks of a data-parallel group. Equal indices are not equal samples if
// the ranks have different data sets, so each check first compares the data sets of the ranks.
namespace ringside {
namespace {

constexpr double kNearlyAll = 0.9;  // smallest share of the samples at which a rank counts as reading all of them;
                                    // below 1 because the last batch may be dropped

Json coverageJson(const Coverage& one) {
    return {{"epoch", one.epoch},  {"pool", one.pool},   {"assigned", one.assigned}, {"distinct", one.distinct},
            {"twice", one.shared}, {"never", one.never}, {"of_rank", one.ofRank}};
}

// Returns the weight of a result. The result of the loader with the largest weight becomes the result of the check; for
// example, a loader that could not be judged outweighs a loader that has passed.
int weightOf(CheckResult result) {
    switch (result) {
        case CheckResult::kSkipped:
            return 0;
        case CheckResult::kPassed:
            return 1;
        case CheckResult::kCouldNotJudge:
            return 2;
        case CheckResult::kFound:
            return 3;
    }
    return 0;
}

// Runs `judge` on each training loader of the data-parallel groups. Returns the first finding. Without a finding,
// returns the result with the largest weightOf(); `without` is the reason if all loaders are skipped.
template <class Judge>
Judgement eachLoader(const Evidence& evidence, const std::string& without, const Judge& judge) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    const std::vector<LoaderGroup> loaders = trainedLoaders(evidence, groups);
    if (loaders.empty())
        return couldNotJudge("no training loader was seen on all ranks, so their samples are not known");
    Judgement result = skipped(without);
    for (const LoaderGroup& one : loaders) {
        Judgement judgement = judge(one);
        if (judgement.result == CheckResult::kFound) return judgement;
        if (weightOf(judgement.result) > weightOf(result.result)) result = std::move(judgement);
    }
    return result;
}

bool hasDifferentPools(const LoaderGroup& group) {
    const std::vector<std::int64_t> first = SampleSource(*group.ranks.front().rank, *group.ranks.front().loader).pool();
    return std::ranges::any_of(
        group.ranks, [&](const RankLoader& one) { return SampleSource(*one.rank, *one.loader).pool() != first; });
}

bool knowsPools(const LoaderGroup& group) {
    return std::ranges::all_of(group.ranks, [](const RankLoader& one) {
        const SampleSource source(*one.rank, *one.loader);
        return source.isKnown() && source.length() >= 0;
    });
}

// Returns the number of distinct contents that the first rank and another rank have both read, for the other rank with
// the largest number.
std::int64_t mostCommonContents(const LoaderGroup& group) {
    std::int64_t most = 0;
    for (std::size_t i = 1; i < group.ranks.size(); ++i)
        most = std::max(most, countOfCommonContents(*group.ranks.front().loader, *group.ranks[i].loader));
    return most;
}

std::string coverageText(const Coverage& one) {
    return "in epoch " + std::to_string(one.epoch + 1) + ", the ranks trained on " + grouped(one.distinct) + " of " +
           counted(one.pool, "sample") + ", and " + counted(one.shared, "sample") + " went to more than one rank";
}

// Returns the text of the finding that the ranks have different subsets. `complete`: the first complete epoch; null if
// there is none.
std::string subsetsDifferText(const LoaderGroup& group, const Coverage* complete) {
    const std::string replicas = std::to_string(group.ranks.front().sampler.replicas.value_or(1));
    std::string text =
        "The ranks have different subsets of the data set, but the sampler divides the subset of each "
        "rank among " +
        replicas + " ranks as if all subsets were equal";
    // A sampler that draws with replacement or from a list can draw any number of samples.
    if (!group.isPartial())
        text += ". In each epoch, each rank therefore trains on only about 1/" + replicas + " of its subset";
    return text + (complete == nullptr ? "." : ": " + coverageText(*complete) + ".");
}

const Coverage* firstComplete(const std::vector<Coverage>& all) {
    const auto found = std::ranges::find_if(all, [](const Coverage& one) { return one.isComplete && one.pool > 0; });
    return found == all.end() ? nullptr : &*found;
}

Judgement dataSetDiffers(const LoaderGroup& group) {
    if (!group.isSharded()) return skipped("");
    if (!knowsPools(group)) return couldNotJudge("the indices of a Subset were not reported");
    const Sameness sameness = group.compareDataSets();
    const std::vector<Coverage> coverages = coveragesOf(group);
    const Coverage* const complete = firstComplete(coverages);
    if (sameness == Sameness::kSame && hasDifferentPools(group)) {
        Json facts = complete == nullptr ? Json::object() : coverageJson(*complete);
        facts["differs"] = "Subset.indices";
        return found(subsetsDifferText(group, complete), group.ranks.front().loader->subsetLine(), std::move(facts));
    }
    if (sameness != Sameness::kDifferent)
        return sameness == Sameness::kSame ? passed() : couldNotJudge("no fingerprint of the data set was reported");
    const RankLoader& first = group.ranks.front();
    const Json& base = SampleSource(*first.rank, *first.loader).base();
    const bool isContent = memberOf(base, "content_crc32") != nullptr;
    const std::int64_t common = mostCommonContents(group);
    constexpr std::int64_t kMinCommon = 3;
    if (isContent && common < kMinCommon)
        return couldNotJudge(
            "the ranks hold different data, of which no sample was seen on two ranks: data that each "
            "rank generates by itself looks like this");
    Json lengths = Json::array();
    for (const RankLoader& one : group.ranks)
        lengths.push_back(numberOf(SampleSource(*one.rank, *one.loader).base(), "length", -1));
    return found(
        "The data sets of " + rankWords(group.rankNumbers()) +
            " differ in content or order, although the sampler divides them among the ranks as if they were "
            "equal" +
            (common >= kMinCommon ? ": " + counted(common, "sample") + " of the first batches went to two ranks"
                                  : std::string()) +
            ".",
        group.createdAt(), {{"lengths", lengths}, {"common_contents", common}});
}

// Judges, for a loader without indices such as that of an IterableDataset, whether all ranks read the same samples:
// compares the contents of the first batches of the first pass.
Judgement streamsAreEqual(const LoaderGroup& group) {
    std::vector<std::int64_t> first;
    for (const RankLoader& one : group.ranks) {
        std::vector<std::int64_t> contents;
        if (!one.loader->passes.empty())
            for (const BatchContent& batch : one.loader->passes.begin()->second.contents)
                contents.insert(contents.end(), batch.samples.begin(), batch.samples.end());
        if (contents.empty()) return couldNotJudge("the loader reports neither indices nor contents");
        if (&one == &group.ranks.front()) first = contents;
        const std::size_t common = std::min(first.size(), contents.size());
        if (!std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common), contents.begin()))
            return passed();
    }
    constexpr std::size_t kMinDifferent = 4;
    const std::size_t different = std::set<std::int64_t>(first.begin(), first.end()).size();
    if (different < kMinDifferent) return couldNotJudge("too few different samples were seen");
    return found(capitalised(rankWords(group.rankNumbers())) + " read the same samples: the first " +
                     counted(static_cast<std::int64_t>(first.size()), "sample") + " of each rank have equal content.",
                 group.createdAt(), {{"compared", first.size()}, {"different", different}});
}

// Returns the largest number of samples that more than one rank can read by design, because samplers repeat samples
// until all shards are equally long.
std::int64_t paddingOf(const LoaderGroup& group) {
    const auto ranks = static_cast<std::int64_t>(group.ranks.size());
    const bool isTorch = std::ranges::all_of(group.ranks, [](const auto& one) { return one.sampler.isTorchSampler; });
    if (isTorch && !group.isCreatedByTrainer()) return ranks - 1;
    return ranks * std::max<std::int64_t>(1, group.ranks.front().sampler.batchSize);
}

Judgement everyRankReadsAll(const LoaderGroup& group) {
    if (!group.hasIndices()) return streamsAreEqual(group);
    if (group.isPartial()) return skipped("");
    if (!knowsPools(group)) return couldNotJudge("the indices of a Subset were not reported");
    if (hasDifferentPools(group)) return passed("each rank has a separate data set");
    const std::vector<Coverage> coverages = coveragesOf(group);
    const Coverage* const complete = firstComplete(coverages);
    const bool readsAll = complete != nullptr && std::ranges::all_of(complete->ofRank, [&](std::int64_t one) {
                              return static_cast<double>(one) >= kNearlyAll * static_cast<double>(complete->pool);
                          });
    if (complete != nullptr && !readsAll) return passed();
    if (complete != nullptr && group.isSharded() && complete->shared <= paddingOf(group))
        return passed("the data set is so small that samplers repeat all samples to fill the shards");
    if (complete == nullptr && !group.isPlain())
        return group.isSharded() ? passed() : couldNotJudge("no complete epoch was seen");
    switch (group.compareDataSets()) {
        case Sameness::kDifferent:
            return passed("each rank has a separate data set");
        case Sameness::kNotKnown:
            return couldNotJudge("it is not known whether equal indices mean equal samples on all ranks");
        case Sameness::kSame:
            break;
    }
    const SampleSource source(*group.ranks.front().rank, *group.ranks.front().loader);
    Json facts = complete == nullptr ? Json{{"pool", source.length()}} : coverageJson(*complete);
    facts["sampler"] = group.ranks.front().sampler.shortKind();
    return found("Each of " + counted(static_cast<std::int64_t>(group.ranks.size()), "rank") + " trains on all " +
                     counted(source.length(), "sample") +
                     ": the loader has no DistributedSampler, so each sample counts " +
                     std::to_string(group.ranks.size()) + " times per epoch.",
                 group.createdAt(), std::move(facts));
}

// Returns the samples of an epoch of one rank in the order of training; empty if they are not known.
std::vector<std::int64_t> drawsIn(const RankLoader& one, std::int64_t epoch) {
    const SampleSource source(*one.rank, *one.loader);
    const auto list = one.loader->epochs.find(epoch);
    if (!source.isKnown() || list == one.loader->epochs.end()) return {};
    return source.samplesOf(list->second.all());
}

// Returns the number of samples at the beginning of the epoch that all ranks have drawn in the same order, up to the
// end of the shortest list. Returns 0 if the orders differ, or if fewer than kMinDifferent distinct samples could be
// compared.
std::size_t equalDraws(const LoaderGroup& group, std::int64_t epoch) {
    std::vector<std::int64_t> first = drawsIn(group.ranks.front(), epoch);
    for (const RankLoader& one : group.ranks) {
        const std::vector<std::int64_t> draws = drawsIn(one, epoch);
        first.resize(std::min(first.size(), draws.size()));
        if (!std::equal(first.begin(), first.end(), draws.begin())) return 0;
    }
    // Least number of distinct samples; fewer can be in the same order by chance.
    constexpr std::size_t kMinDifferent = 16;
    return std::set<std::int64_t>(first.begin(), first.end()).size() < kMinDifferent ? 0 : first.size();
}

// Judges samplers that draw with replacement, with weights or from a list. Ranks whose samplers have the same seed draw
// the same samples.
Judgement sameDraws(const LoaderGroup& group) {
    for (const auto& [epoch, list] : group.ranks.front().loader->epochs) {
        const std::size_t equal = equalDraws(group, epoch);
        if (equal == 0) continue;
        if (group.compareDataSets() == Sameness::kDifferent) return passed("each rank has a separate data set");
        if (group.compareDataSets() == Sameness::kNotKnown)
            return couldNotJudge("it is not known whether equal indices mean equal samples on all ranks");
        const std::string sampler = group.ranks.front().sampler.shortKind();
        return found(capitalised(rankWords(group.rankNumbers())) + " draw the same " +
                         counted(static_cast<std::int64_t>(equal), "sample") + " in the same order in epoch " +
                         std::to_string(epoch + 1) + ": the " + sampler + " has the same seed on all ranks.",
                     group.samplerLine(), {{"epoch", epoch}, {"equal_draws", equal}, {"sampler", sampler}});
    }
    return passed();
}

// True if ranks repeat more of their own samples than the padding of shards explains. The sampler then draws with
// replacement, although neither its class nor its attributes show it.
bool drawsAgain(const LoaderGroup& group, const std::vector<Coverage>& coverages) {
    return std::ranges::any_of(coverages, [&](const Coverage& one) {
        const std::int64_t distinct = std::accumulate(one.ofRank.begin(), one.ofRank.end(), std::int64_t{0});
        return one.assigned - distinct > paddingOf(group);
    });
}

Judgement overlap(const LoaderGroup& group) {
    if (!group.hasIndices()) return skipped("");
    if (group.isPartial()) return sameDraws(group);
    if (group.compareDataSets() == Sameness::kDifferent) return passed("each rank has a separate data set");
    const std::vector<Coverage> coverages = coveragesOf(group);
    if (coverages.empty()) return couldNotJudge("the indices of an epoch were not reported by all ranks");
    if (drawsAgain(group, coverages)) return sameDraws(group);
    const std::int64_t padding = paddingOf(group);
    const auto overlapping =
        std::ranges::find_if(coverages, [padding](const Coverage& one) { return one.shared > padding; });
    if (overlapping == coverages.end()) return passed();
    if (group.compareDataSets() == Sameness::kNotKnown && !group.isSharded())
        return couldNotJudge("it is not known whether equal indices mean equal samples on all ranks");
    return found("Shards overlap: in epoch " + std::to_string(overlapping->epoch + 1) + ", " +
                     counted(overlapping->shared, "sample") + " of " + grouped(overlapping->distinct) +
                     " went to more than one rank.",
                 group.samplerLine(), coverageJson(*overlapping));
}

// Returns the largest number of samples that an epoch may leave out. A sampler drops the samples that do not fill all
// ranks; a loader can drop the last incomplete batch of each rank.
std::int64_t droppableOf(const LoaderGroup& group) {
    const auto ranks = static_cast<std::int64_t>(group.ranks.size());
    const Json& facts = group.ranks.front().loader->facts;
    const std::int64_t batch = std::max<std::int64_t>(1, group.ranks.front().sampler.batchSize);
    const bool drops = flagOf(facts, "drop_last").value_or(false) || group.isCreatedByTrainer();
    return ranks - 1 + (drops ? ranks * batch : 0);
}

// Judges a script that leaves each epoch before the loader is exhausted. Without shuffling, every epoch then ends at
// the same sample, and the samples after it are never trained.
Judgement cutShort(const LoaderGroup& group) {
    const bool isFixed = std::ranges::none_of(group.ranks, [](const auto& one) { return one.sampler.shuffles(); });
    if (!isFixed || group.isCreatedByTrainer()) return couldNotJudge("no complete epoch was seen");
    const std::optional<Coverage> coverage = coverageOfCutEpochs(group);
    if (!coverage || coverage->pool < 0) return couldNotJudge("no complete epoch was seen");
    if (coverage->never <= droppableOf(group)) return passed();
    return found("Each epoch ends at the same position, and the order of the samples is not shuffled: " +
                     counted(coverage->never, "sample") + " of " + grouped(coverage->pool) + " (" +
                     percentOf(static_cast<double>(coverage->never), static_cast<double>(coverage->pool)) +
                     ") went to no rank in any epoch.",
                 group.sourceLine(), coverageJson(*coverage));
}

// Returns the epoch that the script had set on the sampler at the start of an epoch of one rank; empty if it is not
// known.
std::optional<std::int64_t> samplerEpochOf(const RankLoader& one, std::int64_t epoch) {
    for (const auto& [number, pass] : one.loader->passes)
        if (pass.epoch == epoch) return pass.samplerEpoch;
    return {};
}

// True if an epoch may be the rest of an epoch that an earlier run has begun: the ranks trained on fewer samples than
// their samplers assign in an epoch. If this number is not known, true if the sampler's epoch is above 0.
bool mayBeRest(const LoaderGroup& group, const Coverage& one) {
    std::int64_t length = 0;
    for (const RankLoader& rank : group.ranks) {
        if (!rank.sampler.length) return samplerEpochOf(group.ranks.front(), one.epoch).value_or(0) > 0;
        length += *rank.sampler.length;
    }
    return one.assigned + droppableOf(group) < length;
}

// Judges the epochs that leave out samples. The first epoch of a resumed run may be the rest of an epoch, so it is
// judged only if no later epoch is complete.
Judgement leftOut(const LoaderGroup& group, const std::vector<Coverage>& coverages) {
    const Coverage& first = coverages.front();
    const bool hasLater =
        std::ranges::any_of(coverages, [&](const Coverage& one) { return one.isComplete && one.epoch > first.epoch; });
    for (const Coverage& one : coverages) {
        if (!one.isComplete || one.never <= droppableOf(group)) continue;
        if (one.epoch == first.epoch && hasLater) continue;
        if (one.epoch == first.epoch && mayBeRest(group, one))
            return couldNotJudge(
                "the only complete epoch has left out samples, and may be the rest of an epoch that an earlier run "
                "has begun");
        return found(counted(one.never, "sample") + " of " + grouped(one.pool) + " (" +
                         percentOf(static_cast<double>(one.never), static_cast<double>(one.pool)) +
                         ") went to no rank in epoch " + std::to_string(one.epoch + 1) + ".",
                     group.sourceLine(), coverageJson(one));
    }
    return passed();
}

Judgement neverSeen(const LoaderGroup& group) {
    if (!group.hasIndices() || group.isPartial()) return skipped("");
    const bool dividesAll = group.isSharded() || group.isPlain();
    if (!dividesAll) return skipped("");
    if (group.compareDataSets() == Sameness::kDifferent) return passed("each rank has a separate data set");
    const std::vector<Coverage> coverages = coveragesOf(group);
    if (drawsAgain(group, coverages)) return skipped("");
    return firstComplete(coverages) == nullptr ? cutShort(group) : leftOut(group, coverages);
}

}  // namespace

Judgement judgeDataSetDiffers(const Evidence& evidence) {
    return eachLoader(evidence, "no training loader has a sampler that divides samples among ranks", dataSetDiffers);
}

Judgement judgeEveryRankReadsAll(const Evidence& evidence) {
    return eachLoader(evidence, "the samplers do not draw each sample once", everyRankReadsAll);
}

Judgement judgeOverlap(const Evidence& evidence) {
    return eachLoader(evidence, "indices are not known", overlap);
}

Judgement judgeSamplesNeverSeen(const Evidence& evidence) {
    return eachLoader(evidence, "no sampler is known to read each sample once per epoch", neverSeen);
}

}  // namespace ringside
