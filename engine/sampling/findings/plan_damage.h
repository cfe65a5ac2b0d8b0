// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Marks the samples that some rank trains in this epoch; returns how many were not marked before. seen has one entry
// for each sample. When *stop is set, it soon comes back without the others.
std::int64_t markTrained(const ShardPlan& plan, std::vector<bool>& seen, const std::atomic<bool>* stop = nullptr);

// What a deal reaches and repeats: the damage a pitfall does, beside what chance lets one expect.
struct PlanDamage {
    std::int64_t samples = 0;
    std::int64_t uses = 0;    // places in steps, of all ranks
    std::int64_t seen = 0;    // samples in at least one of them
    double expectedSeen = 0;  // mean over all shuffles
    // Samples that ranks a and b both train, a * ranks + b; a rank with itself: its distinct samples.
    std::int64_t ranks = 0;  // of the matrix: the first kMostOverlapRanks
    std::vector<std::int64_t> overlap;
    double expectedOverlap = 0;  // of two different ranks, mean over all shuffles and pairs
};

inline constexpr std::int64_t kMostOverlapRanks = 64;

PlanDamage planDamage(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

// Samples that no rank trains in any of the epochs, mean over all shuffles. specs of the kinds that shuffle without
// replacement and of their pitfalls; -1 where no closed formula is known. sameOrder: set_epoch was forgotten.
double expectedNeverSeen(const ShardSpec& spec, std::int64_t epochs, bool sameOrder);

}  // namespace ringside
