// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "config/run_config.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// Number of samples that no rank trains in epochs 0 .. epochs-1.
struct Coverage {
    std::int64_t datasetSize = 0;
    std::int64_t epochs = 0;
    std::int64_t neverSeen = 0;
    bool operator==(const Coverage&) const = default;
};

// Counts exactly, by marking the samples of each epoch, until all are marked. If the work exceeds kLargestWork, the
// result covers fewer epochs (Coverage::epochs). classes: needed for samplers that use the classes of the data.
Coverage coverage(const RunConfig& config, std::int64_t datasetSize, const std::atomic<bool>* stop = nullptr,
                  const std::shared_ptr<const ClassLabels>& classes = {});

// Returns the number of samples that are trained at least once in one epoch. After *stop is set, returns early with a
// wrong number.
std::int64_t uniqueSeen(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);
// Returns the result of uniqueSeen() without counting if the trained samples are the first samples of the order;
// otherwise empty.
std::optional<std::int64_t> uniqueSeenByFormula(const ShardPlan& plan);

}  // namespace ringside
