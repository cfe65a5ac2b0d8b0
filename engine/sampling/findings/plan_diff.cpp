// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_diff.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::int64_t kSlotsBetweenStops = 4096;

// Adds the expected number of samples that two independent shuffles put on the same rank, and on the same rank and
// step, for the ranks firstRank .. lastRank - 1. In each plan, these ranks must have equally many samples.
void addByChance(PlanDiff& diff, const ShardPlan& first, const ShardPlan& second, int firstRank, int lastRank) {
    const auto all = static_cast<double>(first.totalSize()) * static_cast<double>(second.totalSize());
    const double ranks = lastRank - firstRank;
    const auto product = [](std::int64_t a, std::int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
    double sameStep = 0;
    for (std::int64_t step = 0; step < std::min(first.stepsPerEpoch(), second.stepsPerEpoch()); ++step)
        sameStep += product(first.batch(firstRank, step).count, second.batch(firstRank, step).count);
    const auto samples = static_cast<double>(diff.samples);
    diff.expectedSameRank += samples * ranks * product(first.samplesOf(firstRank), second.samplesOf(firstRank)) / all;
    diff.expectedSameRankStep += samples * ranks * sameStep / all;
}

// Computes the expected values for two independent assignments: the probability that a sample is on rank r is the
// number of slots (list positions) of rank r divided by the number of slots of all ranks.
void expectByChance(PlanDiff& diff, const ShardPlan& first, const ShardPlan& second) {
    const auto ranks = static_cast<int>(std::min(first.spec().worldSize, second.spec().worldSize));
    if (first.totalSize() == 0 || second.totalSize() == 0) return;
    for (int from = 0, to = 0; from < ranks; from = to) {
        while (to < ranks && first.samplesOf(to) == first.samplesOf(from) &&
               second.samplesOf(to) == second.samplesOf(from))
            ++to;
        addByChance(diff, first, second, from, to);
    }
}

}  // namespace

std::vector<SampleOwner> sampleOwners(const ShardPlan& plan, const std::atomic<bool>* stop) {
    std::vector<SampleOwner> owners(static_cast<std::size_t>(plan.spec().datasetSize));
    for (std::int64_t slot = 0; slot < plan.samplesPerRank(); ++slot) {
        if (stop && slot % kSlotsBetweenStops == 0 && *stop) break;
        for (int rank = 0; rank < plan.spec().worldSize; ++rank) {
            if (slot >= plan.samplesOf(rank)) continue;
            SampleOwner& owner = owners[static_cast<std::size_t>(plan.index(rank, slot))];
            if (owner.rank < 0) owner = {rank, static_cast<std::int32_t>(slot)};
        }
    }
    return owners;
}

PlanDiff diffPlans(const ShardPlan& first, const ShardPlan& second, const std::atomic<bool>* stop) {
    const std::vector<SampleOwner> ours = sampleOwners(first, stop);
    return diffPlans(first, ours, second, sampleOwners(second, stop));
}

PlanDiff diffPlans(const ShardPlan& first, const std::vector<SampleOwner>& ours, const ShardPlan& second,
                   const std::vector<SampleOwner>& theirs) {
    const auto stepOf = [](const ShardPlan& plan, const SampleOwner& owner) {
        const bool trained = owner.slot < plan.trainedOf(owner.rank);
        return trained ? owner.slot / plan.spec().batchSize : -1;
    };
    PlanDiff diff;
    for (std::size_t sample = 0; sample < std::max(ours.size(), theirs.size()); ++sample) {
        const SampleOwner a = sample < ours.size() ? ours[sample] : SampleOwner{};
        const SampleOwner b = sample < theirs.size() ? theirs[sample] : SampleOwner{};
        diff.onlyFirst += a.rank >= 0 && b.rank < 0 ? 1 : 0;
        diff.onlySecond += a.rank < 0 && b.rank >= 0 ? 1 : 0;
        if (a.rank < 0 || b.rank < 0) continue;
        ++diff.samples;
        if (a.rank != b.rank) continue;
        ++diff.sameRank;
        diff.sameSlot += a.slot == b.slot ? 1 : 0;
        const std::int64_t step = stepOf(first, a);
        diff.sameRankStep += step >= 0 && step == stepOf(second, b) ? 1 : 0;
    }
    expectByChance(diff, first, second);
    return diff;
}

}  // namespace ringside
