// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// The first place that deals a sample: rank and slot, or -1 where the sampler drops it.
struct SampleOwner {
    std::int32_t rank = -1;
    std::int32_t slot = -1;
    bool operator==(const SampleOwner&) const = default;
};

// By sample, O(n).
std::vector<SampleOwner> sampleOwners(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

// What two deals of a data set have in common. Counted over the samples that both deal, at their first place.
struct PlanDiff {
    std::int64_t samples = 0;       // dealt by both
    std::int64_t onlyFirst = 0;     // dealt by the first plan alone
    std::int64_t onlySecond = 0;    // dealt by the second plan alone
    std::int64_t sameRank = 0;      // on the same rank in both
    std::int64_t sameRankStep = 0;  // on the same rank in the same step
    std::int64_t samePlace = 0;     // on the same rank in the same slot
    // What two independent shuffles give on average: 1 / W of the samples stay on their rank.
    double expectedSameRank = 0;
    double expectedSameRankStep = 0;
    bool identical() const { return samples > 0 && samePlace == samples && onlyFirst == 0 && onlySecond == 0; }
    bool operator==(const PlanDiff&) const = default;
};

PlanDiff diffPlans(const ShardPlan& first, const ShardPlan& second, const std::atomic<bool>* stop = nullptr);
// The same when the owners are known already.
PlanDiff diffPlans(const ShardPlan& first, const std::vector<SampleOwner>& ours, const ShardPlan& second,
                   const std::vector<SampleOwner>& theirs);

}  // namespace ringside
