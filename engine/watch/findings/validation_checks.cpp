// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "watch/evidence/fact_reader.h"
#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"
#include "watch/findings/loader_groups.h"

namespace ringside {
namespace {

// A loader, and its samples as indices of the innermost data set.
struct UsedLoader {
    const RankEvidence* rank = nullptr;
    const LoaderEvidence* loader = nullptr;
    SampleSource source;
    std::set<std::int64_t> samples;  // samples that were trained on or evaluated
    std::int64_t firstUs = 0;        // begin of the first pass, in microseconds since the run started
    // End of the last pass with evaluated samples, in microseconds since the run started: the largest number if a pass
    // has not ended, and 0 if there is none.
    std::int64_t lastUs = 0;
};

bool isEvaluated(const RankEvidence& rank, const LoaderEvidence& loader) {
    return rank.evaluates(loader) &&
           std::ranges::any_of(loader.passes, [](const auto& one) { return one.second.evaluated.count() > 0; });
}

UsedLoader usedBy(const RankEvidence& rank, const LoaderEvidence& loader) {
    UsedLoader used{&rank, &loader, SampleSource(rank, loader), {}, 0, 0};
    for (const auto& [number, pass] : loader.passes) {
        if (number == loader.passes.begin()->first) used.firstUs = pass.beganUs;
        used.firstUs = std::min(used.firstUs, pass.beganUs);
        const std::int64_t endUs =
            pass.hasEnded ? std::max(pass.beganUs, pass.endedUs) : std::numeric_limits<std::int64_t>::max();
        if (pass.evaluated.count() > 0) used.lastUs = std::max(used.lastUs, endUs);
    }
    const auto add = [&](const IndexList& list) {
        for (const std::int64_t one : used.source.samplesOf(list.all()))
            if (one >= 0) used.samples.insert(one);
    };
    for (const auto& [epoch, list] : loader.epochs) add(list);
    if (!loader.isTrained())
        for (const auto& [number, pass] : loader.passes) add(pass.evaluated);
    return used;
}

std::vector<UsedLoader> usedLoaders(const Evidence& evidence, bool trained) {
    std::vector<UsedLoader> all;
    for (const auto& [rank, one] : evidence.ranks())
        for (const auto& [id, loader] : one.loaders)
            if (trained ? loader.isTrained() : isEvaluated(one, loader)) all.push_back(usedBy(one, loader));
    return all;
}

// True if samples of two loaders with equal numbers are known to be the same samples. The loaders may belong to one
// rank or to two.
bool haveOneSource(const UsedLoader& training, const UsedLoader& validation) {
    if (!training.source.isKnown() || !validation.source.isKnown()) return false;
    if (training.rank == validation.rank)
        return training.source.object() >= 0 && training.source.object() == validation.source.object();
    return compareSources(*training.rank, *training.loader, *validation.rank, *validation.loader) == Sameness::kSame;
}

// True if the validation set looks like a part that is held out: a subset that is not the whole training set.
// Evaluating the training set itself, for a training accuracy, or all data is no mistake.
bool isHeldOut(const UsedLoader& training, const UsedLoader& validation) {
    const std::vector<std::int64_t> held = validation.source.pool();
    return validation.source.isSubset() && !held.empty() && held != training.source.pool();
}

// True if the rank of `held` also evaluates another loader, none of whose samples are trained on. The evaluation of
// trained samples in `held` can then be intended, as a measurement of the training accuracy.
bool hasOtherValidation(const std::vector<UsedLoader>& validation, const UsedLoader& training, const UsedLoader& held) {
    return std::ranges::any_of(validation, [&](const UsedLoader& one) {
        if (one.rank != held.rank || one.loader == held.loader) return false;
        return std::ranges::none_of(one.samples, [&](std::int64_t sample) {
            return haveOneSource(training, one) && training.samples.contains(sample);
        });
    });
}

// Result of the comparison of one rank's held-out samples with the samples that ranks have trained on.
struct Leak {
    bool compared = false;
    bool isLater = false;  // true if samples are trained on only after their last evaluation
    bool isOpen = false;   // true if this training has not ended, so that another evaluation may follow
    std::set<std::int64_t> samples;
    std::set<int> ranks;
    std::string where;  // line of the first training loader
};

// True if training on a loader begins only after the last evaluation of another loader, for example because the script
// trains on all samples after it has chosen its settings. The ranks may begin at different times, so it is enough that
// the loaders with the same lines begin in this order on the training rank or on the evaluating rank.
bool beginsAfter(const std::vector<UsedLoader>& training, const std::vector<UsedLoader>& validation,
                 const UsedLoader& trained, const UsedLoader& held) {
    std::optional<std::int64_t> lastUs;  // last evaluation by the training rank; empty if it does not evaluate
    for (const UsedLoader& one : validation)
        if (one.rank == trained.rank && one.loader->sourceLine() == held.loader->sourceLine())
            lastUs = std::max(lastUs.value_or(0), one.lastUs);
    std::optional<std::int64_t> firstUs;  // first training by the evaluating rank; empty if it does not train
    for (const UsedLoader& one : training)
        if (one.rank == held.rank && one.loader->sourceLine() == trained.loader->sourceLine() &&
            one.source.pool() == trained.source.pool())
            firstUs = std::min(firstUs.value_or(one.firstUs), one.firstUs);
    return (firstUs && *firstUs > held.lastUs) || trained.firstUs > lastUs.value_or(held.lastUs);
}

Leak leakOf(const std::vector<UsedLoader>& training, const std::vector<UsedLoader>& validation,
            const UsedLoader& held) {
    Leak leak;
    for (const UsedLoader& trained : training) {
        if (!haveOneSource(trained, held)) continue;
        leak.compared = true;
        if (!isHeldOut(trained, held) || hasOtherValidation(validation, trained, held)) continue;
        if (beginsAfter(training, validation, trained, held)) {
            leak.isLater = true;
            leak.isOpen = leak.isOpen || std::ranges::any_of(trained.loader->passes,
                                                             [](const auto& one) { return !one.second.hasEnded; });
            continue;
        }
        for (const std::int64_t sample : held.samples) {
            if (!trained.samples.contains(sample)) continue;
            leak.samples.insert(sample);
            leak.ranks.insert(trained.rank->rank);
            if (leak.where.empty()) leak.where = trained.loader->sourceLine();
        }
    }
    return leak;
}

// Returns the number of collectives that a rank has called since the begin of a loader's first exhausted evaluation,
// until the rank trained again or ended; empty if the number is not known.
std::optional<std::int64_t> collectivesAfter(const RankLoader& one) {
    const PassEvidence* evaluation = nullptr;
    for (const auto& [number, pass] : one.loader->passes)
        if (evaluation == nullptr && pass.isExhausted && pass.trained == 0) evaluation = &pass;
    if (evaluation == nullptr || !evaluation->collectives) return {};
    const PassEvidence* next = nullptr;
    for (const auto& [id, loader] : one.rank->loaders)
        for (const auto& [number, pass] : loader.passes)
            if (loader.isTrained() && pass.beganUs > evaluation->beganUs &&
                (next == nullptr || pass.beganUs < next->beganUs))
                next = &pass;
    const auto until = next != nullptr ? next->collectives : numberOf(one.rank->latest("end"), "collectives");
    if (!until) return {};
    return *until - *evaluation->collectives;
}

}  // namespace

Judgement judgeLocalMetrics(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    Judgement result = skipped("no evaluation is divided among the ranks");
    for (const LoaderGroup& group : evaluatedLoaders(evidence, groups)) {
        if (!group.isSharded() || group.isCreatedByTrainer()) continue;
        for (const Coverage& one : evaluationsOf(group)) {
            const bool isPart = std::ranges::all_of(one.ofRank, [&](std::int64_t own) { return own < one.pool; });
            if (!isPart) continue;
            bool isKnown = true, communicates = false;
            for (const RankLoader& rank : group.ranks) {
                const auto count = collectivesAfter(rank);
                isKnown = isKnown && count.has_value();
                communicates = communicates || count.value_or(0) > 0;
            }
            if (!isKnown || communicates) {
                result = communicates ? passed() : couldNotJudge("the end of the evaluation was not seen on all ranks");
                continue;
            }
            return found("Each of " + counted(static_cast<std::int64_t>(group.ranks.size()), "rank") +
                             " evaluates its own part of " + counted(one.pool, "sample") +
                             ", and no collective combines the results: the metric of a rank covers " +
                             grouped(one.ofRank.front()) + " of them.",
                         group.sourceLine(), {{"samples", one.pool}, {"of_rank", one.ofRank}});
        }
    }
    return result;
}

Judgement judgeTrainedOnValidation(const Evidence& evidence) {
    const std::vector<UsedLoader> training = usedLoaders(evidence, true);
    const std::vector<UsedLoader> validation = usedLoaders(evidence, false);
    if (training.empty() || validation.empty()) return skipped("no training and validation loader with known indices");
    bool compared = false, isLater = false, isOpen = false;
    for (const UsedLoader& held : validation) {
        const Leak leak = leakOf(training, validation, held);
        compared = compared || leak.compared;
        isLater = isLater || leak.isLater;
        isOpen = isOpen || leak.isOpen;
        if (leak.samples.empty()) continue;
        const auto common = static_cast<std::int64_t>(leak.samples.size());
        const auto all = static_cast<std::int64_t>(held.samples.size());
        const std::vector<int> ranks(leak.ranks.begin(), leak.ranks.end());
        return found(counted(common, "sample") + " of the " + grouped(all) + " that rank " +
                         std::to_string(held.rank->rank) + " evaluates are not held out: " + rankWords(ranks) +
                         (ranks.size() == 1 ? " trains" : " train") + " on them.",
                     held.loader->subsetLine(),
                     {{"validation_samples", all},
                      {"also_trained", common},
                      {"training_loader", leak.where},
                      {"training_ranks", ranks},
                      {"validation_rank", held.rank->rank}});
    }
    if (isOpen)
        return couldNotJudge(
            "the ranks train on samples that they have evaluated, and it is not known whether they evaluate them "
            "again");
    if (isLater) return passed("the ranks begin to train on evaluated samples only after the last evaluation");
    return compared ? passed() : skipped("training and validation loaders read different data sets");
}

Judgement judgeValidationEverywhere(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    bool hasLoader = false, isUnknown = false;
    for (const LoaderGroup& group : evaluatedLoaders(evidence, groups)) {
        if (group.isSharded() || group.isCreatedByTrainer()) continue;
        for (const Coverage& one : evaluationsOf(group)) {
            hasLoader = true;
            const bool readsAll = std::ranges::all_of(one.ofRank, [&](std::int64_t own) { return own == one.pool; });
            if (!readsAll || one.pool < 2) continue;
            isUnknown = isUnknown || group.compareDataSets() == Sameness::kNotKnown;
            if (group.compareDataSets() != Sameness::kSame) continue;
            return found("Each of " + counted(static_cast<std::int64_t>(group.ranks.size()), "rank") +
                             " evaluates all " + counted(one.pool, "sample") + ".",
                         group.sourceLine(), {{"samples", one.pool}, {"ranks", group.ranks.size()}});
        }
    }
    if (isUnknown) return couldNotJudge("it is not known whether equal indices mean equal samples on all ranks");
    return hasLoader ? passed() : skipped("no complete evaluation by all ranks was seen");
}

Judgement judgeValidationPadding(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    bool hasLoader = false;
    for (const LoaderGroup& group : evaluatedLoaders(evidence, groups)) {
        if (!group.isSharded() || group.isCreatedByTrainer() || !group.ranks.front().sampler.isTorchSampler) continue;
        for (const Coverage& one : evaluationsOf(group)) {
            hasLoader = true;
            const std::int64_t repeated = one.assigned - one.distinct;
            if (repeated <= 0) continue;
            return found("The evaluation counts " + counted(repeated, "sample") + " of " + grouped(one.distinct) +
                             " twice, because DistributedSampler gives each rank the same number of samples.",
                         group.sourceLine(), {{"assigned", one.assigned}, {"distinct", one.distinct}});
        }
    }
    return hasLoader ? passed() : skipped("no complete evaluation with a DistributedSampler was seen");
}

}  // namespace ringside
