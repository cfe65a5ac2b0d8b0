// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
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

bool hasLoss(const RankEvidence& rank, std::int64_t step) {
    const Json* const counts = rank.countsOf(step);
    return counts != nullptr && !textsOf(*counts, "losses").empty();
}

// Returns the first step of the uninterrupted series of losses that are not finite at the end of a rank's steps; 0 if
// this series has fewer than two steps.
std::int64_t notFiniteSince(const RankEvidence& rank) {
    constexpr std::size_t kMin = 2;  // the loss of the last step may still be on a device, so one step is not
                                     // sufficient
    std::size_t count = 0;
    std::int64_t first = 0;
    const auto checkRows = [&](const auto& rows) {
        for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
            if (std::isfinite(row->loss) || !hasLoss(rank, row->step)) return;
            first = row->step;
            ++count;
        }
    };
    if (rank.steps.size() < RankEvidence::kMaxSteps)
        checkRows(rank.steps);
    else
        checkRows(rank.latestSteps);
    return count >= kMin ? first : 0;
}

bool hasTrainer(const RankEvidence& rank) {
    return memberOf(rank.latest("process"), "accelerate") != nullptr;
}

// Returns the most frequent number of scheduler steps per optimizer step if it exceeds the number of schedulers,
// otherwise 0. Sets `counts` to the facts of an optimizer step with more scheduler steps than schedulers.
std::int64_t schedulerStepsOf(const RankEvidence& rank, const Json*& counts) {
    const auto schedulers = static_cast<std::int64_t>(rank.factsOf("scheduler").size());
    std::map<std::int64_t, std::int64_t> steps;  // number of optimizer steps, by the number of scheduler steps in each
    for (const EqualSteps& one : rank.equalSteps()) {
        const std::int64_t number = numberOf(*one.counts, "scheduler_steps", 0);
        steps[number] += one.steps;
        if (number > schedulers) counts = one.counts;
    }
    if (steps.empty() || schedulers == 0) return 0;
    const auto most = std::ranges::max_element(steps, {}, [](const auto& one) { return one.second; });
    return most->first > schedulers ? most->first : 0;
}

// Returns the number of batches in one complete pass, computed from the reported sampler, batch size and drop_last; -1
// if the reported facts do not determine it.
std::int64_t announcedBatches(const RankLoader& one) {
    const Json& facts = one.loader->facts;
    const std::int64_t batch = one.sampler.batchSize;
    const Json* const sampler = memberOf(facts, "sampler");
    const Json* const dataset = memberOf(facts, "dataset");
    if (batch <= 0 || sampler == nullptr || dataset == nullptr || one.sampler.isCreatedByTrainer) return -1;
    std::int64_t samples = -1;
    if (one.sampler.isTorchSampler) {
        const Json* inner = sampler;
        while (inner != nullptr && !memberOf(*inner, "num_replicas")) inner = memberOf(*inner, "inner");
        if (inner != nullptr) samples = numberOf(*inner, "num_samples", -1);
    } else if (one.sampler.isPlain && !one.sampler.isPartial) {
        samples = numberOf(*dataset, "length", -1);
    }
    if (samples < 0) return -1;
    const bool drops = flagOf(facts, "drop_last").value_or(false);
    return drops ? samples / batch : (samples + batch - 1) / batch;
}

// True if the script has ended a pass with trained batches before the loader was exhausted, so that the script itself
// limits the number of steps. False for a rank that has failed, because a failure also ends a pass early.
bool isLimited(const RankLoader& one) {
    return one.rank->state != RankStage::kFailed && std::ranges::any_of(one.loader->passes, [](const auto& pass) {
               return pass.second.hasEnded && !pass.second.isExhausted && pass.second.trained > 0;
           });
}

bool usesJoin(const LoaderGroup& group) {
    return std::ranges::any_of(group.ranks, [](const RankLoader& one) { return one.rank->usesJoin(); });
}

// Returns the number of trained batches of each rank in the first pass that all ranks have exhausted with unequal
// numbers of batches.
std::vector<std::int64_t> unequalPass(const LoaderGroup& group, std::int64_t& pass) {
    for (const auto& [number, first] : group.ranks.front().loader->passes) {
        std::vector<std::int64_t> batches;
        for (const RankLoader& one : group.ranks) {
            const auto found = one.loader->passes.find(number);
            if (found == one.loader->passes.end() || !found->second.isExhausted || found->second.trained == 0) break;
            batches.push_back(found->second.trained);
        }
        pass = number;
        if (batches.size() == group.ranks.size() && std::set(batches.begin(), batches.end()).size() > 1) return batches;
    }
    return {};
}

std::string batchesText(const LoaderGroup& group, const std::vector<std::int64_t>& batches) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(batches) - batches.begin());
    const auto most = static_cast<std::size_t>(std::ranges::max_element(batches) - batches.begin());
    return "rank " + std::to_string(group.ranks[most].rank->rank) + " has " + counted(batches[most], "batch") +
           " and rank " + std::to_string(group.ranks[least].rank->rank) + " has " + counted(batches[least], "batch");
}

// Returns the line that calls step() of the scheduler that the script stepped first. If no such call was reported,
// returns the line that created the first scheduler.
std::string schedulerLine(const RankEvidence& rank) {
    const std::vector<Json>& steps = rank.factsOf("scheduler_step");
    return textOf(steps.empty() ? rank.factsOf("scheduler").front() : steps.front(), "where");
}

// Returns the number of samples that most of a rank's first optimizer steps use; 0 if none is known. Leaves out steps
// before which GradScaler has skipped a step, and backward passes whose gradients the script has cleared.
std::int64_t samplesPerStep(const RankEvidence& rank) {
    constexpr std::size_t kMaxSteps = 256;       // limit of the number of steps that are read
    std::map<std::int64_t, std::int64_t> steps;  // number of steps, by the number of samples in each
    for (std::size_t i = 0; i < std::min(rank.steps.size(), kMaxSteps); ++i) {
        const StepRow& row = rank.steps[i];
        const Json* const counts = rank.countsOf(row.step);
        const std::int64_t backwards = counts == nullptr ? 0 : numberOf(*counts, "backwards", 0);
        const std::int64_t unused = counts == nullptr ? 0 : numberOf(*counts, "unused", 0);
        if (counts != nullptr && numberOf(*counts, "skipped", 0) > 0) continue;
        ++steps[backwards > unused ? row.samples * (backwards - unused) / backwards : row.samples];
    }
    const auto most =
        std::ranges::max_element(steps, {}, [](const auto& one) { return std::pair(one.second, one.first); });
    return most == steps.end() ? 0 : most->first;
}

// Returns the largest finite learning rate of the rank's kept steps; empty if there is none.
std::optional<double> largestLearningRate(const RankEvidence& rank) {
    std::optional<double> largest;
    for (const StepRow& one : rank.steps)
        if (std::isfinite(one.learningRate)) largest = std::max(largest.value_or(one.learningRate), one.learningRate);
    return largest;
}

// Returns a sentence about the learning rate of a rank, after a space; empty if no finite rate is known. The sentence
// is limited to the kept steps, and to the present if the rank still runs.
std::string learningRateText(const RankEvidence& rank) {
    const std::optional<double> largest = largestLearningRate(rank);
    if (!largest) return {};
    const bool changes = std::ranges::any_of(rank.steps, [&](const StepRow& one) {
        return std::isfinite(one.learningRate) && one.learningRate != *largest;
    });
    std::string subject = changes ? "largest learning rate" : "learning rate";
    if (rank.steps.size() >= RankEvidence::kMaxSteps)
        subject += " of the first " + counted(std::ssize(rank.steps), "step");
    else if (changes && rank.state && !rank.hasEnded())
        subject += " until now";
    return " The " + subject + " is " + shortNumber(*largest) + ".";
}

// Returns the largest learning rate for the evidence of a finding; null if it is not known.
Json learningRateJson(const RankEvidence& rank) {
    const std::optional<double> largest = largestLearningRate(rank);
    return largest ? Json(*largest) : Json();
}

}  // namespace

Judgement judgeLossNotFinite(const Evidence& evidence) {
    bool hasLosses = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        hasLosses = hasLosses || (!one.steps.empty() && hasLoss(one, one.steps.front().step));
        const std::int64_t step = notFiniteSince(one);
        if (step == 0) continue;
        const std::vector<std::string> lines = textsOf(*one.countsOf(step), "losses");
        return found("The loss of rank " + std::to_string(rank) + " is infinite or not a number from step " +
                         grouped(step) + " to step " + grouped(one.stepCount) + ".",
                     lines.empty() ? std::string() : lines.front(),
                     {{"rank", rank}, {"first_step", step}, {"last_step", one.stepCount}});
    }
    return hasLosses ? passed() : couldNotJudge("no loss was seen");
}

Judgement judgeSkippedSteps(const Evidence& evidence) {
    constexpr std::int64_t kUsual = 12;  // number of skipped steps that is normal: GradScaler begins with a large scale
                                         // factor and halves it at each skipped step
    bool hasSkipped = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        const auto skips = static_cast<std::int64_t>(one.factsOf("skipped_step").size());
        hasSkipped = hasSkipped || skips > 0;
        if (skips <= kUsual || 10 * skips < one.stepCount) continue;
        return found("GradScaler skipped " + counted(skips, "step") + " of " + grouped(one.stepCount + skips) +
                         " on rank " + std::to_string(rank) + ", because gradients were infinite or not a number.",
                     {}, {{"rank", rank}, {"skipped", skips}, {"steps", one.stepCount}});
    }
    return hasSkipped ? passed() : skipped("GradScaler is not used, or has skipped no step");
}

Judgement judgeScheduler(const Evidence& evidence) {
    bool hasScheduler = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        if (one.factsOf("scheduler").empty()) continue;
        hasScheduler = true;
        if (hasTrainer(one)) return skipped("Accelerate steps schedulers once per rank by design");
        const Json* counts = nullptr;
        const std::int64_t steps = schedulerStepsOf(one, counts);
        if (steps == 0 || one.stepCount < 2) continue;
        const std::int64_t backwards = numberOf(*counts, "backwards", 1);
        std::string reason;
        if (steps == backwards && backwards > 1)
            reason = ", once for each micro-batch";
        else if (steps == evidence.worldSize())
            reason = ", once for each rank";
        return found("Schedulers step " + std::to_string(steps) + " times per optimizer step" + reason + ", although " +
                         (one.factsOf("scheduler").size() == 1 ? "the script has one scheduler"
                                                               : "the script has fewer schedulers") +
                         ": the learning rate changes too fast.",
                     schedulerLine(one),
                     {{"rank", rank},
                      {"scheduler_steps", steps},
                      {"schedulers", one.factsOf("scheduler").size()},
                      {"backwards", backwards}});
    }
    return hasScheduler ? passed() : skipped("the script has no learning rate scheduler");
}

Judgement judgeUnevenSteps(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    bool judged = false;
    for (const LoaderGroup& group : trainedLoaders(evidence, groups)) {
        if (usesJoin(group)) return passed("Join lets ranks have unequal numbers of batches");
        std::int64_t pass = 0;
        std::vector<std::int64_t> batches = unequalPass(group, pass);
        const bool seen = !batches.empty();
        if (!seen)
            for (const RankLoader& one : group.ranks) batches.push_back(announcedBatches(one));
        if (std::ranges::find(batches, -1) != batches.end()) continue;
        judged = true;
        const bool unequal = std::set(batches.begin(), batches.end()).size() > 1;
        if (!unequal || std::ranges::any_of(group.ranks, isLimited)) continue;
        return found("The ranks train unequal numbers of steps" +
                         (seen ? " in pass " + std::to_string(pass + 1) : std::string()) + ": " +
                         batchesText(group, batches) +
                         ". The ranks with more batches wait for all-reduces that never complete.",
                     group.sourceLine(), {{"batches", batches}, {"seen", seen}});
    }
    return judged ? passed() : couldNotJudge("the number of batches per pass is not known");
}

Judgement judgeEffectiveBatch(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    for (const LoaderGroup& group : trainedLoaders(evidence, groups)) {
        const RankEvidence& rank = *group.ranks.front().rank;
        const std::int64_t batch = group.ranks.front().sampler.batchSize;
        if (batch <= 0 || rank.steps.empty()) continue;
        const Json* const counts = rank.countsOf(rank.steps.front().step);
        const Json* const loaders = counts == nullptr ? nullptr : memberOf(*counts, "batches");
        if (loaders != nullptr && loaders->is_array() && loaders->size() > 1) {
            const std::int64_t samples = samplesPerStep(rank), each = static_cast<std::int64_t>(group.ranks.size());
            return found("One optimizer step sees " + grouped(samples * each) + " samples: " + grouped(samples) +
                             " of " + counted(std::ssize(*loaders), "loader") + " x " + counted(each, "rank") + "." +
                             learningRateText(rank),
                         group.sourceLine(),
                         {{"samples", samples},
                          {"loaders", loaders->size()},
                          {"ranks", each},
                          {"learning_rate", learningRateJson(rank)}});
        }
        const std::int64_t accumulated = std::max<std::int64_t>(1, samplesPerStep(rank) / batch);
        const auto ranks = static_cast<std::int64_t>(group.ranks.size());
        const std::string accumulation =
            accumulated > 1 ? " x " + std::to_string(accumulated) + " micro-batches" : std::string();
        return found("One optimizer step sees " + grouped(batch * ranks * accumulated) +
                         " samples: " + std::to_string(batch) + " per batch" + accumulation + " x " +
                         counted(ranks, "rank") + "." + learningRateText(rank),
                     group.sourceLine(),
                     {{"batch_size", batch},
                      {"micro_batches", accumulated},
                      {"ranks", ranks},
                      {"learning_rate", learningRateJson(rank)}});
    }
    return couldNotJudge("no loader with a batch size was seen");
}

}  // namespace ringside
