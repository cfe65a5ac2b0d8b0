// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "base/errors/result.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// Use of a sample in an epoch, and the other samples of its batch.
struct SampleUse {
    SampleSlot place;
    std::vector<std::uint32_t> batchMates;  // other samples of the same step on the same rank
};

// Uses of one sample in one epoch.
struct SampleHistoryEntry {
    std::int64_t epoch = 0;
    std::vector<SampleUse> uses;  // uses of the sample; empty if the sampler drops it
    std::int64_t steps = 0;       // number of steps of the epoch
};

// Returns the uses of a sample in one epoch. maxMates: maximum number of batch mates that are returned for each use,
// because a batch can contain the whole data set.
SampleHistoryEntry sampleHistoryEntry(const ShardPlan& plan, std::int64_t epoch, std::int64_t sample,
                                      std::int64_t maxMates = std::numeric_limits<std::int64_t>::max());

struct SampleHistorySource {
    std::function<ShardSpec(std::int64_t epoch)> specAt;
    std::function<Result<ShardPlan>(const ShardSpec& spec)> planOf;
};
// Appends the entries of epochs [first, last) to `entries`. Consecutive epochs with equal specs share one plan. Returns
// a problem if an epoch has no plan. Returns after the current epoch if *stop is set.
std::optional<Problem> appendEpochs(const SampleHistorySource& source, std::int64_t sample, std::int64_t first,
                                    std::int64_t last, std::int64_t maxMates, std::vector<SampleHistoryEntry>& entries,
                                    const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
