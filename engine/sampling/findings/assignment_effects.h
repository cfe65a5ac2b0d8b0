// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Marks the samples that any rank trains in this epoch and returns the number of newly marked ones. seen has one entry
// per sample. After *stop is set, returns early without the remaining samples.
std::int64_t markTrained(const ShardPlan& plan, std::vector<bool>& seen, const std::atomic<bool>* stop = nullptr);

// Effect of a pitfall: coverage of the data and overlap between ranks, each with the value expected for a random order.
struct AssignmentEffects {
    std::int64_t samples = 0;
    std::int64_t uses = 0;    // sum of the numbers of samples that the ranks train, repetitions included
    std::int64_t seen = 0;    // number of samples trained at least once
    double expectedSeen = 0;  // expected value of `seen`: mean over all shuffles; -1 if no closed formula is known
    std::int64_t ranks =
        0;  // number of rows and columns of `overlap`: the first ranks of the run, at most kMaxOverlapRanks
    // Matrix: the entry a * ranks + b is the number of samples that ranks a and b both train. The diagonal contains the
    // number of distinct samples of each rank.
    std::vector<std::int64_t> overlap;
    double expectedOverlap = 0;  // expected overlap of two different ranks: mean over all shuffles and pairs of ranks;
                                 // -1 if no closed formula is known
};

inline constexpr std::int64_t kMaxOverlapRanks = 64;

// Measures coverage and overlap of a plan. After *stop is set, returns early with incomplete numbers.
AssignmentEffects assignmentEffects(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

// Returns the number of samples that no rank trains in any of the epochs, as the mean over all shuffles. Returns -1 if
// no closed formula is known: for sampling with replacement, subsets and some combinations of pitfalls. sameOrder: true
// if all epochs have the same order, because set_epoch was not called.
double expectedNeverSeen(const ShardSpec& spec, std::int64_t epochs, bool sameOrder);

}  // namespace ringside
