// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "watch/evidence/fact_reader.h"
#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"
#include "watch/findings/replica_difference.h"

namespace ringside {
namespace {

// Returns the line that created the module of the first tensor that differs, if an optimizer reports it; otherwise the
// line that calls step() of the latest optimizer.
std::string lineOfDifference(const RankEvidence& rank, const ReplicaDifference& difference) {
    for (const Json& optimizer : rank.factsOf("optimizer")) {
        const Json* const modules = memberOf(optimizer, "unwrapped");
        if (modules == nullptr || !modules->is_array()) continue;
        for (const Json& one : *modules)
            if (std::ranges::find(difference.names, textOf(one, "parameter")) != difference.names.end())
                return textOf(one, "where");
    }
    return textOf(rank.latest("optimizer"), "where");
}

// Frequency with which a script without a wrapper such as DDP averages gradients or parameters by collectives.
enum class Averaging { kNever, kSometimes, kEveryStep };

std::int64_t parametersOf(const RankEvidence& rank) {
    std::int64_t sum = 0;
    for (const Json& optimizer : rank.factsOf("optimizer"))
        if (const Json* const groups = memberOf(optimizer, "groups"); groups != nullptr && groups->is_array())
            for (const Json& group : *groups) sum += numberOf(group, "parameters", 0);
    return sum;
}

// Returns how often the ranks of a data-parallel group average parameters or gradients. A process group of a rank
// counts as averaging if it is used after step 1 and its collectives transfer, per traced step that uses it, at least
// as many bytes as the optimizers have parameters. This excludes a broadcast before the first step and the reduction of
// a metric. kEveryStep: at least one such process group is used in at least 90 % of the traced steps.
Averaging averagingOf(const Evidence& evidence, const ReplicaGroup& group) {
    Averaging most = Averaging::kNever;
    for (const int number : group.ranks) {
        const RankEvidence& rank = *evidence.find(number);
        for (const auto& [id, use] : rank.collectives) {
            if (use.lastStep <= 1 || use.bytes < use.steps * parametersOf(rank)) continue;
            if (10 * use.steps >= 9 * rank.tracedSteps) return Averaging::kEveryStep;
            most = Averaging::kSometimes;
        }
    }
    return most;
}

bool isDdp(const ReplicaGroup& group) {
    return group.kind == ReplicaKind::kDdp;
}

// True if a communication hook of DDP lets the replicas differ on purpose between two averagings. Such a hook has
// "local" in its name, as in post_localSGD_hook.
bool hasLocalSgd(const Evidence& evidence, const ReplicaGroup& group) {
    return std::ranges::any_of(group.ranks, [&](int rank) {
        return std::ranges::any_of(evidence.find(rank)->factsOf("buckets"), [](const Json& facts) {
            const std::string hook = textOf(facts, "comm_hook");
            return hook.find("local") != std::string::npos || hook.find("Local") != std::string::npos;
        });
    });
}

constexpr const char* kJoined = "model.join() lets the ranks make unequal numbers of steps, which cannot be compared";

// True if the ranks train inside of model.join(), which lets them make unequal numbers of steps.
bool usesJoin(const Evidence& evidence, const ReplicaGroup& group) {
    return std::ranges::any_of(group.ranks, [&](int rank) { return evidence.find(rank)->usesJoin(); });
}

// Returns a clause that explains why the replicas of a group may differ after a step; empty if a difference is a
// mistake.
std::string reasonToDiffer(const Evidence& evidence, const ReplicaGroup& group) {
    if (hasLocalSgd(evidence, group))
        return "a communication hook lets the replicas differ on purpose between two averagings";
    return usesJoin(evidence, group) ? kJoined : "";
}

// True if the script has excluded at least as many tensors from DDP as tensors differ, so that the difference is
// intended.
bool isIgnored(const Evidence& evidence, const ReplicaGroup& group, const ReplicaDifference& difference) {
    std::int64_t ignored = 0;
    for (const Json& facts : evidence.find(group.ranks.front())->factsOf("data_parallel"))
        ignored += numberOf(facts, "ignored", 0);
    return difference.different <= ignored;
}

Json differenceJson(const ReplicaDifference& difference) {
    return {{"first_step", difference.firstStep},    {"last_equal_step", difference.lastEqualStep},
            {"compared_steps", difference.compared}, {"different_steps", difference.differing},
            {"tensors", difference.names},           {"ranks", difference.ranks}};
}

// True for the name of a parameter outside of every DistributedDataParallel model. Such parameters are named after
// their optimizer.
bool isUnnamed(const std::string& name) {
    return isParameterName(name) && name.starts_with("optimizer ");
}
bool isWrapped(const std::string& name) {
    return isParameterName(name) && !name.starts_with("optimizer ");
}

// Runs `judge` on each data-parallel group of the given kind. Returns the first finding; without a finding, a result
// that could not be judged; otherwise the result of the last group. Returns skipped(without) if no group has this kind.
template <class Judge>
Judgement eachGroup(const Evidence& evidence, ReplicaKind kind, const std::string& without, const Judge& judge) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    Judgement result = skipped(without);
    for (const ReplicaGroup& group : groups.groups) {
        if (group.kind != kind) continue;
        Judgement judgement = judge(group);
        if (judgement.result == CheckResult::kFound) return judgement;
        if (result.result != CheckResult::kCouldNotJudge) result = std::move(judgement);
    }
    return result;
}

// Reason why DDP does not reduce the gradients of a model, as a sentence that begins with a space, and the line of the
// script; both are empty if no reason is known.
struct ReductionLoss {
    std::string text;
    std::string line;
};

// Looks for a change of the model after DDP has wrapped it: a conversion, which removes the hooks of DDP from the
// parameters, or parameters that were frozen when DDP wrapped the model. Ignores a change after the first step in which
// the replicas differ.
ReductionLoss reductionLossOf(const RankEvidence& rank, const ReplicaDifference& difference) {
    const auto isBefore = [&](const Json& facts, const char* step) {
        return numberOf(facts, step, 0) < difference.firstStep;
    };
    for (const Json& facts : rank.factsOf("converted")) {
        if (!isBefore(facts, "after_step")) continue;
        return {" The model was converted from " + textOf(facts, "from") + " to " + textOf(facts, "to") +
                    " after it was wrapped, so that DistributedDataParallel no longer reduces its gradients.",
                textOf(facts, "where")};
    }
    for (const Json& facts : rank.factsOf("unfrozen")) {
        if (!isBefore(facts, "frozen_after_step")) continue;
        const std::vector<std::string> names = textsOf(facts, "names");
        const bool isUnfrozen = std::ranges::all_of(
            difference.names, [&](const std::string& one) { return std::ranges::find(names, one) != names.end(); });
        if (isUnfrozen)
            return {" " + std::string(difference.different == 1 ? "It was" : "They were") +
                        " frozen when DistributedDataParallel wrapped the model, which does not reduce " +
                        (difference.different == 1 ? "its gradient." : "their gradients."),
                    {}};
    }
    return {};
}

// Optimizer step of a rank whose gradients DDP has not reduced.
struct UnreducedStep {
    std::int64_t step = 0;  // number of the step; 0 if DDP has reduced the gradients of all steps
    std::string line;       // line of the script that calls backward() in the step; empty if it is not known
};

// Returns the first step that has backward passes on a rank, but no all-reduce by DDP.
UnreducedStep unreducedStep(const Evidence& evidence, const ReplicaGroup& group) {
    for (const int number : group.ranks) {
        for (const Json& counts : evidence.find(number)->factsOf("step_counts")) {
            if (numberOf(counts, "backwards", 0) == 0 || numberOf(counts, "all_reduces", 1) != 0) continue;
            const std::vector<std::string> lines = textsOf(counts, "losses");
            return {numberOf(counts, "from_step", 0), lines.empty() ? std::string() : lines.front()};
        }
    }
    return {};
}

// Returns the largest number of layers of batch normalisation in a model that a rank reports; 0 if none is reported.
// Layers of SyncBatchNorm do not count, because their statistics are equal on all ranks.
std::int64_t batchNormsOf(const RankEvidence& rank) {
    std::int64_t most = 0;
    for (const Json& model : rank.factsOf("data_parallel")) {
        const Json* const norms = memberOf(model, "batch_norms");
        if (norms == nullptr || !norms->is_object()) continue;
        std::int64_t count = 0;
        for (const auto& [kind, number] : norms->items())
            if (kind != "SyncBatchNorm") count += numberOf(*norms, kind, 0);
        most = std::max(most, count);
    }
    return most;
}

// Returns the largest number of collectives that the script of a rank has called between the end of the last training
// pass before an evaluation and the start of this evaluation, over all evaluations. Counts from the start of the
// training pass if the number at its end is not known.
std::int64_t collectivesBeforeEvaluation(const RankEvidence& rank) {
    std::vector<std::pair<const PassEvidence*, bool>> passes;  // each pass, with true if it is an evaluation
    for (const auto& [id, loader] : rank.loaders)
        for (const auto& [number, pass] : loader.passes)
            if (pass.collectives) passes.emplace_back(&pass, rank.evaluates(loader));
    std::ranges::stable_sort(passes, {}, [](const auto& one) { return one.first->beganUs; });
    std::int64_t most = 0;
    for (std::size_t i = 1; i < passes.size(); ++i)
        if (passes[i].second && !passes[i - 1].second)
            most = std::max(most, *passes[i].first->collectives - passes[i - 1].first->collectivesAtEnd.value_or(
                                                                      *passes[i - 1].first->collectives));
    return most;
}

// True if the script may average the mean and the variance of each layer of batch normalisation before it evaluates.
bool mayAverageStatistics(const RankEvidence& rank) {
    const std::int64_t norms = batchNormsOf(rank);
    return norms > 0 && collectivesBeforeEvaluation(rank) >= 2 * norms;
}

}  // namespace

Judgement judgeModelNotWrapped(const Evidence& evidence) {
    return eachGroup(
        evidence, ReplicaKind::kOwnLoop, "a wrapper keeps the replicas equal", [&](const ReplicaGroup& group) {
            const ReplicaDifference difference = compareReplicas(evidence, group, isParameterName);
            if (difference.compared == 0)
                return couldNotJudge(
                    "there is no step after which all ranks reported checksums of the same parameters");
            if (!difference.endsDifferent) return passed();
            if (averagingOf(evidence, group) != Averaging::kNever)
                return passed("the script itself averages gradients or parameters");
            Json facts = differenceJson(difference);
            return found("The model is not wrapped, and no collective makes the ranks' parameters equal: after step " +
                             std::to_string(difference.firstStep) + ", " + tensorWords(difference) + " differ" +
                             (difference.different == 1 ? "s" : "") + " between " + rankWords(group.ranks) + ".",
                         textOf(evidence.find(group.ranks.front())->latest("optimizer"), "where"), std::move(facts));
        });
}

Judgement judgeDifferentStart(const Evidence& evidence) {
    return eachGroup(
        evidence, ReplicaKind::kOwnLoop, "a wrapper makes the initial parameters equal on all ranks",
        [&](const ReplicaGroup& group) {
            const ReplicaDifference difference = compareReplicas(evidence, group, isParameterName);
            if (!difference.isStartKnown)
                return couldNotJudge("not all ranks reported the same parameters before the first step");
            if (!difference.startsDifferent || !difference.endsDifferent) return passed();
            if (averagingOf(evidence, group) == Averaging::kSometimes)
                return couldNotJudge("the script averages gradients or parameters in some steps only");
            return found("The ranks average gradients, but start from different parameters and stay different: " +
                             tensorWords(difference) + " after step " + std::to_string(difference.firstStep) + ".",
                         lineOfDifference(*evidence.find(group.ranks.front()), difference), differenceJson(difference));
        });
}

Judgement judgeLearningRateDiffers(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    bool compared = false, joined = false;
    for (const ReplicaGroup& group : groups.groups) {
        joined = joined || usesJoin(evidence, group);
        if (usesJoin(evidence, group)) continue;
        const RankEvidence& first = *evidence.find(group.ranks.front());
        for (const int number : group.ranks) {
            const RankEvidence& other = *evidence.find(number);
            const std::size_t common = std::min(first.steps.size(), other.steps.size());
            for (std::size_t i = 0; i < common; ++i) {
                const StepRow& one = first.steps[i];
                const StepRow& two = other.steps[i];
                compared = compared || number != first.rank;
                if (one.step != two.step || one.learningRate == two.learningRate) continue;
                return found("The learning rates differ from step " + std::to_string(one.step) +
                                 " on: " + shortNumber(one.learningRate) + " on rank " + std::to_string(first.rank) +
                                 ", " + shortNumber(two.learningRate) + " on rank " + std::to_string(number) + ".",
                             textOf(other.latest("scheduler"), "where"),
                             {{"step", one.step},
                              {"ranks", {first.rank, number}},
                              {"learning_rates", {one.learningRate, two.learningRate}}});
            }
        }
    }
    if (!compared && joined) return skipped(kJoined);
    return compared ? passed() : couldNotJudge("no step was reported by two ranks");
}

Judgement judgeOutsideDdp(const Evidence& evidence) {
    return eachGroup(evidence, ReplicaKind::kDdp, "no model is wrapped in DistributedDataParallel",
                     [&](const ReplicaGroup& group) {
                         if (std::string reason = reasonToDiffer(evidence, group); !reason.empty())
                             return skipped(std::move(reason));
                         const ReplicaDifference outside = compareReplicas(evidence, group, isUnnamed);
                         if (outside.compared == 0)
                             return passed("all parameters of the optimizers belong to wrapped models");
                         if (!outside.endsDifferent) return passed();
                         if (averagingOf(evidence, group) == Averaging::kSometimes)
                             return couldNotJudge("the script averages gradients or parameters in some steps only");
                         const RankEvidence& rank = *evidence.find(group.ranks.front());
                         return found(counted(outside.different, "optimized tensor") +
                                          " outside of DistributedDataParallel differ between the ranks after step " +
                                          std::to_string(outside.firstStep) + ": " + tensorWords(outside) + ".",
                                      lineOfDifference(rank, outside), differenceJson(outside));
                     });
}

Judgement judgeForwardAroundDdp(const Evidence& evidence) {
    return eachGroup(
        evidence, ReplicaKind::kDdp, "no model is wrapped in DistributedDataParallel", [&](const ReplicaGroup& group) {
            if (std::string reason = reasonToDiffer(evidence, group); !reason.empty())
                return skipped(std::move(reason));
            const ReplicaDifference difference = compareReplicas(evidence, group, isWrapped);
            if (difference.compared == 0)
                return couldNotJudge(
                    "there is no step after which all ranks reported checksums of the same parameters inside "
                    "DistributedDataParallel");
            const auto [step, line] = unreducedStep(evidence, group);
            if (!difference.endsDifferent || isIgnored(evidence, group, difference) || step == 0 ||
                step > difference.firstStep)
                return passed();
            Json facts = differenceJson(difference);
            facts["step_without_all_reduce"] = step;
            return found("DDP did not reduce the gradients of step " + std::to_string(step) +
                             ": its forward pass did not go through the DDP wrapper, or it ran inside no_sync(). Since "
                             "step " +
                             std::to_string(difference.firstStep) + " the ranks differ in " + tensorWords(difference) +
                             ".",
                         line.empty() ? group.where : line, std::move(facts));
        });
}

Judgement judgeReplicasDiffer(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    Judgement result = skipped("parameters are sharded: each rank holds a different part");
    for (const ReplicaGroup& group : groups.groups) {
        if (group.kind == ReplicaKind::kSharded) continue;
        if (std::string reason = reasonToDiffer(evidence, group); !reason.empty()) {
            if (result.result == CheckResult::kSkipped) result = skipped(std::move(reason));
            continue;
        }
        const ReplicaDifference difference =
            compareReplicas(evidence, group, isDdp(group) ? isWrapped : isParameterName);
        if (difference.compared == 0) {
            result = couldNotJudge("there is no step after which all ranks reported checksums of the same parameters");
            continue;
        }
        if (result.result == CheckResult::kSkipped) result = passed();
        if (!difference.endsDifferent || isIgnored(evidence, group, difference)) continue;
        if (!isDdp(group) && averagingOf(evidence, group) != Averaging::kEveryStep) {
            result = couldNotJudge(
                "the script averages gradients or parameters in some steps only, between which replicas may differ");
            continue;
        }
        const RankEvidence& rank = *evidence.find(group.ranks.front());
        const ReductionLoss loss = isDdp(group) ? reductionLossOf(rank, difference) : ReductionLoss{};
        const std::string model = group.where.empty() ? lineOfDifference(rank, difference) : group.where;
        return found("Replicas differ since step " + std::to_string(difference.firstStep) + ": " +
                         tensorWords(difference) + " of " + rankWords(difference.ranks) + " no longer equal" +
                         (difference.different == 1 ? "s that" : " those") + " of rank " +
                         std::to_string(group.ranks.front()) + "." + loss.text,
                     loss.line.empty() ? model : loss.line, differenceJson(difference));
    }
    return result;
}

Judgement judgeBatchNorm(const Evidence& evidence) {
    return eachGroup(
        evidence, ReplicaKind::kDdp, "no model is wrapped in DistributedDataParallel", [&](const ReplicaGroup& group) {
            if (usesJoin(evidence, group)) return skipped(kJoined);
            const ReplicaDifference difference = compareReplicas(evidence, group, isBatchNormName);
            if (difference.compared == 0)
                return skipped(
                    "the model has no running statistics, or DDP copies them from rank 0 before each forward pass");
            if (!difference.endsDifferent) return passed();
            if (mayAverageStatistics(*evidence.find(group.ranks.front())))
                return couldNotJudge(
                    "the script calls enough collectives before an evaluation to average the running statistics");
            return found("The running statistics of batch normalisation differ between the ranks since step " +
                             std::to_string(difference.firstStep) + " (" + tensorWords(difference) +
                             "), because broadcast_buffers (or forward_sync_buffers) is False.",
                         group.where, differenceJson(difference));
        });
}

}  // namespace ringside
