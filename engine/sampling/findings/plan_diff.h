// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// First rank that gets a sample, and the sample's position (slot) in the list of that rank. Both are -1 if no rank gets
// the sample.
struct SampleOwner {
    std::int32_t rank = -1;
    std::int32_t slot = -1;
    bool operator==(const SampleOwner&) const = default;
};

// Returns the owner of each sample, in O(n). After *stop is set, returns early, and the remaining owners are -1.
std::vector<SampleOwner> sampleOwners(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

// Comparison of two assignments of one data set to ranks. A sample that a plan assigns several times counts once, with
// its first rank and slot (SampleOwner).
struct PlanDiff {
    std::int64_t samples = 0;       // number of samples that both plans assign
    std::int64_t onlyFirst = 0;     // number of samples that only the first plan assigns
    std::int64_t onlySecond = 0;    // number of samples that only the second plan assigns
    std::int64_t sameRank = 0;      // number of samples that have the same rank in both plans
    std::int64_t sameRankStep = 0;  // number of samples that have the same rank and step in both plans
    std::int64_t sameSlot =
        0;  // number of samples that have the same rank and the same position (slot) in the rank's list in both plans
    // Expected values of sameRank and sameRankStep for two independent shuffles. For N ranks, expectedSameRank is about
    // 1 / N of the samples.
    double expectedSameRank = 0;
    double expectedSameRankStep = 0;
    bool identical() const { return samples > 0 && sameSlot == samples && onlyFirst == 0 && onlySecond == 0; }
    bool operator==(const PlanDiff&) const = default;
};

// Compares two plans in O(n). After *stop is set, returns early with incomplete numbers.
PlanDiff diffPlans(const ShardPlan& first, const ShardPlan& second, const std::atomic<bool>* stop = nullptr);
// Compares two plans. ours and theirs: sampleOwners() of the first and of the second plan.
PlanDiff diffPlans(const ShardPlan& first, const std::vector<SampleOwner>& ours, const ShardPlan& second,
                   const std::vector<SampleOwner>& theirs);

}  // namespace ringside
