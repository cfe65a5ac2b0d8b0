// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/assignment_effects.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sampling/plan/shard_numbers.h"

namespace ringside {
namespace {

constexpr std::int64_t kMaxBits = std::int64_t{1}
                                  << 31;  // maximum total size of the bit sets of all ranks, in bits (256 MiB)

using Bits = std::vector<std::uint64_t>;

// Returns one bit set per rank, for the first `ranks` ranks: bit i is set if the rank trains sample i.
std::vector<Bits> rankSets(const ShardPlan& plan, std::int64_t ranks, const std::atomic<bool>* stop) {
    const auto words = static_cast<std::size_t>(plan.spec().datasetSize / 64 + 1);
    std::vector<Bits> sets(static_cast<std::size_t>(ranks), Bits(words));
    for (int rank = 0; rank < ranks && !(stop && *stop); ++rank) {
        Bits& set = sets[static_cast<std::size_t>(rank)];
        for (std::int64_t slot = 0; slot < plan.trainedOf(rank); ++slot) {
            const auto sample = static_cast<std::uint64_t>(plan.index(rank, slot));
            set[sample / 64] |= std::uint64_t{1} << (sample % 64);
        }
    }
    return sets;
}

std::int64_t common(const Bits& a, const Bits& b) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += std::popcount(a[i] & b[i]);
    return count;
}

void fillOverlap(const ShardPlan& plan, AssignmentEffects& effects, const std::atomic<bool>* stop) {
    const std::int64_t room = kMaxBits / std::max<std::int64_t>(1, effects.samples);
    effects.ranks = std::min({plan.spec().worldSize, kMaxOverlapRanks, std::max<std::int64_t>(room, 1)});
    const std::vector<Bits> sets = rankSets(plan, effects.ranks, stop);
    const std::size_t ranks = sets.size();
    effects.overlap.resize(ranks * ranks);
    for (std::size_t a = 0; a < ranks && !(stop && *stop); ++a) {
        for (std::size_t b = a; b < ranks; ++b) {
            effects.overlap[a * ranks + b] = effects.overlap[b * ranks + a] = common(sets[a], sets[b]);
        }
    }
}

// Returns the number of distinct samples that the rank with the most samples trains: at most one for each position of
// the order before padding, because padding repeats samples.
double distinctOfRank(const ShardSpec& spec) {
    const ShardNumbers numbers = shardNumbers(spec);
    return static_cast<double>(std::min(numbers.groups[0].trained, std::max<std::int64_t>(1, numbers.orderLength)));
}

// Returns the expected fraction of the data set that all ranks together train in one epoch.
double seenPart(const ShardSpec& spec) {
    const auto n = static_cast<double>(spec.datasetSize);
    const auto world = static_cast<double>(spec.worldSize);
    if (const ShardNumbers numbers = shardNumbers(spec); numbers.isUneven())
        return static_cast<double>(numbers.totalSize - numbers.droppedByLoader) / n;
    const double part = distinctOfRank(spec) / n;
    if (isReplicated(spec.kind) || spec.pitfalls.wrongRank >= 0) return std::min(1.0, part);
    if (spec.pitfalls.seedPerRank) return 1 - std::pow(1 - part, world);
    return std::min(1.0, world * part);
}

bool hasFormula(const ShardSpec& spec) {
    const bool twoAtOnce = spec.pitfalls.seedPerRank && (spec.pitfalls.doubleSharding || spec.pitfalls.wrongRank >= 0);
    return !mayRepeatSamples(spec.kind) && spec.kind != SamplerKind::kSubset && !twoAtOnce && spec.datasetSize > 0;
}

// Returns the probability that a sample is missed in all epochs if every rank shuffles with its own seed. Rank r in
// epoch e uses permutation r + e, and ranks that use the same permutation train disjoint slices of it. The probability
// is therefore the product of 1 - slices * part over the permutations, with `part` the share of the samples in one
// slice.
double missedWithSeedPerRank(const ShardSpec& spec, std::int64_t epochs) {
    const double part = distinctOfRank(spec) / static_cast<double>(spec.datasetSize);
    double missed = 1;
    for (std::int64_t order = 0; order < spec.worldSize + epochs - 1 && missed > 0; ++order) {
        const std::int64_t slices = std::min({order + 1, spec.worldSize, epochs, spec.worldSize + epochs - 1 - order});
        missed *= std::max(0.0, 1 - static_cast<double>(slices) * part);
    }
    return missed;
}

double expectedOverlapOf(const ShardSpec& spec) {
    if (!hasFormula(spec)) return -1;
    const double own = distinctOfRank(spec);
    const auto n = static_cast<double>(spec.datasetSize);
    if (isReplicated(spec.kind) || spec.pitfalls.wrongRank >= 0) return own;
    if (spec.pitfalls.seedPerRank) return own * own / n;
    const ShardNumbers numbers = shardNumbers(spec);
    const std::int64_t pairsOfRanks = spec.worldSize * (spec.worldSize - 1) / 2;
    const auto pairs = static_cast<double>(pairsOfRanks);
    if (pairs == 0 || (numbers.padding == 0 && !spec.pitfalls.any())) return 0;
    if (numbers.padding > spec.datasetSize || numbers.droppedByLoader > 0) return -1;
    // Each padded (repeated) sample is trained by two ranks and adds 1 to the overlap of this pair of ranks.
    return spec.pitfalls.any() ? 0 : static_cast<double>(numbers.padding) / pairs;
}

}  // namespace

std::int64_t markTrained(const ShardPlan& plan, std::vector<bool>& seen, const std::atomic<bool>* stop) {
    constexpr std::int64_t kMarkedBetweenChecks = std::int64_t{1} << 16;
    std::int64_t added = 0;
    for (int rank = 0; rank < plan.spec().worldSize; ++rank) {
        for (std::int64_t slot = 0; slot < plan.trainedOf(rank); ++slot) {
            if (stop && slot % kMarkedBetweenChecks == 0 && *stop) return added;
            auto mark = seen[static_cast<std::size_t>(plan.index(rank, slot))];
            added += mark ? 0 : 1;
            mark = true;
        }
    }
    return added;
}

AssignmentEffects assignmentEffects(const ShardPlan& plan, const std::atomic<bool>* stop) {
    AssignmentEffects effects;
    effects.samples = plan.spec().datasetSize;
    std::vector<bool> seen(static_cast<std::size_t>(effects.samples));
    effects.seen = markTrained(plan, seen, stop);
    for (int rank = 0; rank < plan.spec().worldSize; ++rank) effects.uses += plan.trainedOf(rank);
    const double missed = expectedNeverSeen(plan.spec(), 1, false);
    effects.expectedSeen = missed < 0 ? -1 : static_cast<double>(effects.samples) - missed;
    effects.expectedOverlap = expectedOverlapOf(plan.spec());
    fillOverlap(plan, effects, stop);
    return effects;
}

double expectedNeverSeen(const ShardSpec& spec, std::int64_t epochs, bool sameOrder) {
    if (!hasFormula(spec) || epochs < 1) return -1;
    const auto n = static_cast<double>(spec.datasetSize);
    const bool changes = spec.shuffle && spec.kind != SamplerKind::kSequential && !sameOrder;
    if (spec.pitfalls.seedPerRank && !spec.shuffle) {
        ShardSpec same = spec;  // equal to spec, because the pitfall seed_per_rank has no effect without shuffle
        same.pitfalls.seedPerRank = false;
        return expectedNeverSeen(same, epochs, sameOrder);
    }
    if (spec.pitfalls.seedPerRank) return n * missedWithSeedPerRank(spec, changes ? epochs : 1);
    return n * std::pow(1 - seenPart(spec), changes ? static_cast<double>(epochs) : 1.0);
}

}  // namespace ringside
