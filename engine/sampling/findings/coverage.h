// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "config/run_config.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// How many samples no rank trains in epochs 0 .. epochs-1.
struct Coverage {
    std::int64_t datasetSize = 0;
    std::int64_t epochs = 0;
    std::int64_t neverSeen = 0;
    bool operator==(const Coverage&) const = default;
};

// Exact, by marking what each epoch trains; stops as soon as everything was seen. Past kLargestWork the answer covers
// fewer epochs, and says how many. classes: the data, for samplers that need its classes.
Coverage coverage(const RunConfig& config, std::int64_t datasetSize, const std::atomic<bool>* stop = nullptr,
                  const std::shared_ptr<const ClassLabels>& classes = {});

// Samples that are trained at least once in one epoch; a wrong number soon after *stop is set.
std::int64_t uniqueSeen(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);
// The same where it follows from the plan's numbers alone, because what is trained is the order's beginning.
std::optional<std::int64_t> uniqueSeenByFormula(const ShardPlan& plan);

}  // namespace ringside
