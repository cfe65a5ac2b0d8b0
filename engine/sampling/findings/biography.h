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

// One place of a sample in an epoch, and who trains beside it.
struct SampleUse {
    SamplePlace place;
    std::vector<std::uint32_t> batchMates;  // of the same step on the same rank, without itself
};

// What becomes of one sample in one epoch.
struct BiographyEntry {
    std::int64_t epoch = 0;
    std::vector<SampleUse> uses;  // none: the sampler drops it
    std::int64_t steps = 0;       // of the epoch
};

// mostMates: of each use; a global batch may be as large as the data.
BiographyEntry biographyEntry(const ShardPlan& plan, std::int64_t epoch, std::int64_t sample,
                              std::int64_t mostMates = std::numeric_limits<std::int64_t>::max());

struct BiographySource {
    std::function<ShardSpec(std::int64_t epoch)> specAt;
    std::function<Result<ShardPlan>(const ShardSpec& spec)> planOf;
};
// Adds the entries of epochs [first, last); a plan that successive epochs share is made once. Gives why an epoch has no
// plan; stops after an epoch in which *stop was set.
std::optional<Problem> tellEpochs(const BiographySource& source, std::int64_t sample, std::int64_t first,
                                  std::int64_t last, std::int64_t mostMates, std::vector<BiographyEntry>& entries,
                                  const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
