// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "watch/evidence/fact_reader.h"
#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"
#include "watch/findings/replica_groups.h"

namespace ringside {
namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// Formats the scale factor of GradScaler. Whole numbers below 10^15 are written in full, such as 65,536, because most
// scripts use powers of 2.
std::string factorText(double factor) {
    constexpr double kMax = 1e15;
    const bool isWhole = factor < kMax && factor == std::floor(factor);
    return isWhole ? grouped(static_cast<std::int64_t>(factor)) : shortNumber(factor);
}

std::size_t sizeOf(const Json& facts, std::string_view key) {
    const Json* const list = memberOf(facts, key);
    return list != nullptr && list->is_array() ? list->size() : 0;
}

// True if an optimizer step with these numbers of losses, optimizers and batches can accumulate micro-batches with its
// backward passes. Steps with several losses, several optimizers, an optimizer with a closure (LBFGS) or a pipeline run
// several backward passes for other reasons.
bool canAccumulate(const RankEvidence& rank, const Json& counts) {
    const bool hasClosures = std::ranges::any_of(
        rank.factsOf("optimizer"), [](const Json& one) { return contains(textOf(one, "class"), "LBFGS"); });
    return !hasClosures && rank.factsOf("pipeline").empty() && sizeOf(counts, "losses") == 1 &&
           sizeOf(counts, "optimizers") == 1 && sizeOf(counts, "batches") <= 1;
}

// Number of micro-batches that a rank accumulates per optimizer step, with the facts "step_counts" of one of these
// optimizer steps. A step before which no gradients were cleared is preferred.
struct Accumulation {
    std::int64_t microBatches = 0;
    const Json* counts = nullptr;
};

// Returns the most frequent number of backward passes before an optimizer step; an empty Accumulation if it is below 2.
// Backward passes whose gradients were cleared before the optimizer step do not count. Optimizer steps before which
// GradScaler has skipped a step are left out. If only a few optimizer steps follow several backward passes, the script
// has skipped steps and does not accumulate gradients.
Accumulation accumulationOf(const RankEvidence& rank) {
    std::map<std::int64_t, EqualSteps> steps;  // optimizer steps, by the number of micro-batches in each
    for (const EqualSteps& one : rank.equalSteps()) {
        if (!canAccumulate(rank, *one.counts) || numberOf(*one.counts, "skipped", 0) > 0) continue;
        EqualSteps& same = steps[numberOf(*one.counts, "backwards", 0) - numberOf(*one.counts, "unused", 0)];
        if (same.counts == nullptr || numberOf(*one.counts, "unused", 0) == 0) same.counts = one.counts;
        same.steps += one.steps;
    }
    const auto most =
        std::ranges::max_element(steps, {}, [](const auto& one) { return std::pair(one.second.steps, one.first); });
    return most == steps.end() || most->first < 2 ? Accumulation{} : Accumulation{most->first, most->second.counts};
}

// Returns the reported facts about the loss on which the script calls backward() at the line `where`; an empty object
// if there are none.
const Json& lossAt(const RankEvidence& rank, const std::string& where) {
    static const Json none = Json::object();
    for (const Json& one : rank.factsOf("loss"))
        if (textOf(one, "where") == where) return one;
    return none;
}

// Returns the name of the first autograd function that computes a mean over samples: the last operation of the loss, or
// one of the terms that the loss adds up. Empty if none does.
std::string meanOf(const Json& loss) {
    constexpr std::array<std::string_view, 8> kMeans{
        "NllLoss", "MseLoss", "BinaryCrossEntropy", "SmoothL1Loss", "MeanBackward", "L1Loss", "KlDiv", "HuberLoss"};
    std::vector<std::string> operations = textsOf(loss, "terms");
    operations.insert(operations.begin(), textOf(loss, "function"));
    const auto isMean = [&](const std::string& operation) {
        return std::ranges::any_of(kMeans, [&](std::string_view one) { return contains(operation, one); });
    };
    const auto mean = std::ranges::find_if(operations, isMean);
    return mean == operations.end() ? std::string() : *mean;
}

// True for an optimizer whose update does not depend on the scale of the gradients.
bool isScaleFree(const RankEvidence& rank) {
    constexpr std::array<std::string_view, 6> kScaleFree{"Adam", "RMSprop", "Adagrad", "Adadelta", "Lamb", "Lion"};
    const std::string kind = textOf(rank.latest("optimizer"), "class");
    return std::ranges::any_of(kScaleFree, [&](std::string_view one) { return contains(kind, one); });
}

const RankEvidence* anyRank(const Evidence& evidence) {
    return evidence.ranks().empty() ? nullptr : &evidence.ranks().begin()->second;
}

}  // namespace

Judgement judgeOptimizerWithoutGradients(const Evidence& evidence) {
    bool known = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        for (const Json& facts : one.factsOf("optimizer")) {
            const auto with = numberOf(facts, "with_gradient");
            if (!with) continue;
            known = true;
            std::int64_t tensors = 0;
            if (const Json* const groups = memberOf(facts, "groups"); groups != nullptr && groups->is_array())
                for (const Json& group : *groups) tensors += numberOf(group, "tensors", 0);
            const Json* const first = one.countsOf(1);
            if (*with > 0 || tensors == 0 || first == nullptr || numberOf(*first, "backwards", 0) == 0) continue;
            return found("At the first step of " + textOf(facts, "class") + " on rank " + std::to_string(rank) +
                             ", none of its " + counted(tensors, "tensor") +
                             " has a gradient: this optimizer does not update the trained model.",
                         textOf(facts, "where"), {{"rank", rank}, {"tensors", tensors}, {"with_gradient", 0}});
        }
    }
    return known ? passed() : couldNotJudge("the gradients at the first step were not reported");
}

Judgement judgeNotOptimized(const Evidence& evidence) {
    // Smallest number of optimizer steps after which parameters are judged: in fewer steps, a script with several
    // optimizers may not have used all of them.
    constexpr std::int64_t kMinSteps = 16;
    bool hasModel = false, known = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        hasModel = hasModel || std::ranges::any_of(one.factsOf("data_parallel"),
                                                   [](const Json& facts) { return textOf(facts, "kind") == "ddp"; });
        std::map<std::int64_t, const Json*> latest;  // latest report of each model, by the number of the model
        for (const Json& facts : one.factsOf("unoptimized")) latest[numberOf(facts, "model", 0)] = &facts;
        for (const auto& [model, facts] : latest) {
            if (numberOf(*facts, "after_step", 0) < kMinSteps) continue;
            known = true;
            const std::int64_t tensors = numberOf(*facts, "tensors", 0);
            if (tensors <= 0) continue;
            const std::vector<std::string> names = textsOf(*facts, "names");
            const std::string example = names.empty() ? std::string() : ", for example " + names.front();
            return found(counted(tensors, "tensor") + " of " + grouped(numberOf(*facts, "trainable_tensors", 0)) +
                             " that get gradients are in no optimizer and do not change" + example + ".",
                         textOf(one.latest("optimizer"), "where"),
                         {{"rank", rank},
                          {"tensors", tensors},
                          {"parameters", numberOf(*facts, "parameters", 0)},
                          {"names", names}});
        }
    }
    if (known) return passed();
    return hasModel ? couldNotJudge("fewer than 16 optimizer steps were seen")
                    : skipped("no model is wrapped in DistributedDataParallel");
}

Judgement judgeClippedScaled(const Evidence& evidence) {
    bool clips = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        for (const Json& facts : one.factsOf("clipping")) {
            clips = true;
            if (!flagOf(facts, "scaled").value_or(false)) continue;
            const double limit = realOf(facts, "limit").value_or(0);
            const std::optional<double> scale = realOf(facts, "scale");
            constexpr double kMinShare = 0.01;  // smallest clipping limit that is accepted, as a share of the scale
                                                // factor: with such a large limit, the script has probably multiplied
                                                // the limit by the factor, which is correct
            if (limit >= kMinShare * scale.value_or(std::numeric_limits<double>::infinity())) continue;
            const std::string factor = scale ? " of " + factorText(*scale) : std::string();
            return found(textOf(facts, "function") + "() limits the gradients to " + shortNumber(limit) +
                             " while GradScaler's factor" + factor +
                             " has not been removed from them: the optimizer steps are too small by this factor.",
                         textOf(facts, "where"),
                         {{"rank", rank}, {"limit", limit}, {"scale", scale ? Json(*scale) : Json()}});
        }
    }
    return clips ? passed() : skipped("gradients are not clipped");
}

Judgement judgeNeverCleared(const Evidence& evidence) {
    bool known = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        const std::vector<Json>& facts = one.factsOf("gradients");
        known = known || !facts.empty();
        const bool kept = facts.size() >= 2 && std::ranges::all_of(facts, [](const Json& fact) {
                              return flagOf(fact, "cleared") == std::optional(false);
                          });
        if (!kept) continue;
        const auto& losses = one.factsOf("loss");
        return found(
            "After each of the first " + counted(static_cast<std::int64_t>(facts.size()), "step") + ", rank " +
                std::to_string(rank) +
                " begins the next backward pass with the gradients of the previous step: the gradients add up.",
            losses.empty() ? std::string() : textOf(losses.front(), "where"),
            {{"rank", rank}, {"steps", facts.size()}});
    }
    return known
               ? passed()
               : couldNotJudge(
                     "the gradients are on a device, or there are several optimizers: the gradients were not checked");
}

Judgement judgeClearedUnused(const Evidence& evidence) {
    // minimum number of steps that must clear gradients in the same way before the clearing counts as a mistake
    constexpr std::int64_t kMinSteps = 8;
    bool isKnown = false, isUnknown = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        std::int64_t backwards = 0, unused = 0, steps = 0;
        // number of steps, by (number of backward passes in the step, number of them whose gradients were cleared)
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> regular;
        std::string where;
        for (const EqualSteps& same : one.equalSteps()) {
            const Json& counts = *same.counts;
            const auto cleared = numberOf(counts, "unused");
            isKnown = isKnown || cleared.has_value();
            if (!canAccumulate(one, counts) || numberOf(counts, "skipped", 0) > 0) continue;
            const std::int64_t passes = numberOf(counts, "backwards", 0);
            isUnknown = isUnknown || (passes > 1 && !cleared && counts.contains("unused"));
            if (!cleared) continue;
            steps += same.steps;
            backwards += passes * same.steps;
            // A step whose backward passes all use one batch is not judged: the script may need gradients for another
            // purpose, such as a perturbation of the inputs.
            const bool losesBatches = *cleared > 0 && numberOf(counts, "trained_batches", 0) > 1;
            if (!losesBatches) continue;
            unused += *cleared * same.steps;
            regular[{passes, *cleared}] += same.steps;
            where = textsOf(counts, "losses").front();
        }
        if (unused == 0) continue;
        const auto most = std::ranges::max_element(regular, {}, [](const auto& group) { return group.second; });
        const auto [passes, cleared] = most->first;
        const Json facts = {{"rank", rank}, {"backward_passes", backwards}, {"unused", unused}, {"steps", steps}};
        if (most->second >= kMinSteps && 10 * most->second >= 9 * (steps - 1) && cleared == passes - 1) {
            Judgement result = found("In each step of rank " + std::to_string(rank) + ", the gradients of " +
                                         std::to_string(cleared) + " of " + std::to_string(passes) +
                                         " micro-batches are cleared before the optimizer step: the model learns from "
                                         "the last one only.",
                                     where, facts);
            result.severity = Severity::kMistake;
            return result;
        }
        return found("The gradients of " + grouped(unused) + " of " + counted(backwards, "backward pass") +
                         " of rank " + std::to_string(rank) +
                         " were cleared before an optimizer step could use them: the model does not learn from "
                         "their samples.",
                     where, facts);
    }
    if (isUnknown)
        return couldNotJudge("the gradients between backward passes are on a device or too large to be read");
    return isKnown ? passed() : couldNotJudge("cleared gradients were not reported");
}

Judgement judgeUndividedLoss(const Evidence& evidence) {
    const RankEvidence* const rank = anyRank(evidence);
    if (rank == nullptr) return skipped("no rank");
    const Accumulation accumulation = accumulationOf(*rank);
    if (accumulation.counts == nullptr) return skipped("most optimizer steps accumulate no micro-batches");
    const std::vector<std::string> lines = textsOf(*accumulation.counts, "losses");
    const std::string where = lines.empty() ? std::string() : lines.front();
    const Json& loss = lossAt(*rank, where);
    const std::string function = textOf(loss, "function");
    if (function.empty()) return couldNotJudge("the last operation of the loss was not reported");
    constexpr std::array<std::string_view, 4> kScaled{"DivBackward", "MulBackward", "SumBackward", "CompiledFunction"};
    const bool isScaled = std::ranges::any_of(kScaled, [&](std::string_view one) { return contains(function, one); });
    if (isScaled) return passed();
    if (!rank->factsOf("gradients_changed").empty())
        return couldNotJudge("the script changes the gradients before the optimizer step, and may divide them");
    const std::string mean = meanOf(loss);
    if (mean.empty())
        return couldNotJudge("it is not known whether the script divides the loss, whose last operation is " +
                             function);
    const std::string many = std::to_string(accumulation.microBatches);
    Judgement result = found("The script calls backward() on an undivided loss (" + mean + "), and " + many +
                                 " micro-batches are accumulated per step: the gradient is " + many +
                                 " times as large as that of the mean.",
                             where, {{"micro_batches", accumulation.microBatches}, {"function", function}});
    if (isScaleFree(*rank)) result.severity = Severity::kNote;
    return result;
}

Judgement judgeSyncEveryMicroBatch(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    if (groups.groups.front().kind != ReplicaKind::kDdp)
        return skipped("no model is wrapped in DistributedDataParallel");
    const RankEvidence& rank = *evidence.find(groups.groups.front().ranks.front());
    const Accumulation accumulation = accumulationOf(rank);
    if (accumulation.counts == nullptr) return skipped("most optimizer steps accumulate no micro-batches");
    if (numberOf(*accumulation.counts, "unused", 0) > 0)
        return couldNotJudge(
            "the all-reduces of backward passes whose gradients were cleared cannot be counted separately");
    const std::int64_t reduced = numberOf(*accumulation.counts, "all_reduces", 0);
    if (reduced < accumulation.microBatches) return passed();
    const std::vector<std::string> lines = textsOf(*accumulation.counts, "losses");
    return found("DDP reduces the gradients " + std::to_string(reduced) +
                     " times per optimizer step, once for each of " + std::to_string(accumulation.microBatches) +
                     " micro-batches; once is enough.",
                 lines.empty() ? std::string() : lines.front(),
                 {{"micro_batches", accumulation.microBatches}, {"all_reduces", reduced}});
}

Judgement judgeFindUnusedNeedless(const Evidence& evidence) {
    const RankEvidence* const rank = anyRank(evidence);
    const bool isOn = rank != nullptr && std::ranges::any_of(rank->factsOf("data_parallel"), [](const Json& facts) {
                          return flagOf(facts, "find_unused_parameters").value_or(false);
                      });
    if (!isOn) return skipped("find_unused_parameters is off, or no model is wrapped in DistributedDataParallel");
    std::int64_t iteration = 0;
    for (const auto& [number, one] : evidence.ranks()) {
        for (const Json& facts : one.factsOf("buckets")) {
            if (numberOf(facts, "unused_parameter_bytes", 0) > 0) return passed();
            iteration = std::max(iteration, numberOf(facts, "iteration", 0));
        }
    }
    constexpr std::int64_t kMinIterations = 3;
    if (iteration < kMinIterations) return couldNotJudge("too few iterations were seen");
    return found(
        "DDP searches for unused parameters in each step (find_unused_parameters=True), but all parameters were used "
        "in the " +
            counted(std::max(iteration, rank->stepCount), "step") + " that were seen.",
        textOf(rank->latest("data_parallel"), "where"), {{"steps", rank->stepCount}, {"unused_bytes", 0}});
}

Judgement judgeGatheredFeatures(const Evidence& evidence) {
    for (const auto& [rank, one] : evidence.ranks()) {
        for (const Json& facts : one.factsOf("gathered")) {
            const std::int64_t ranks = numberOf(facts, "ranks", 0);
            if (ranks < 2 || numberOf(facts, "with_gradient", ranks) >= ranks) continue;
            return found("The loss contains the features that " + textOf(facts, "operation") + "() has gathered from " +
                             counted(ranks, "rank") + ", but only the features of the own rank have a gradient: rank " +
                             std::to_string(rank) + " leaves out its part of the other ranks' gradients.",
                         textOf(facts, "where"), {{"rank", rank}, {"ranks", ranks}, {"with_gradient", 1}});
        }
    }
    return skipped("no loss contains gathered features of which only those of the own rank have a gradient");
}

Judgement judgeLeftOverGradients(const Evidence& evidence) {
    bool hasEnd = false;
    for (const auto& [rank, one] : evidence.ranks()) {
        const Json& end = one.latest("end");
        hasEnd = hasEnd || !end.empty();
        const std::int64_t left = numberOf(end, "unfinished_backwards", 0);
        if (left <= 0 || one.stepCount == 0 || one.state != RankStage::kFinished) continue;
        return found("No optimizer step follows the last " +
                         (left == 1 ? std::string("backward pass") : grouped(left) + " backward passes") + " of rank " +
                         std::to_string(rank) + ": the model does not learn from their samples.",
                     {}, {{"rank", rank}, {"backward_passes", left}});
    }
    return hasEnd ? passed() : couldNotJudge("the end of the script was not reported");
}

}  // namespace ringside
