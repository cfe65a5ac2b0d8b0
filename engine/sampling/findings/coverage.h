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

// Counts the samples that no rank trains, exactly, by marking the trained samples of each epoch until all samples are
// marked. If epochs times samples exceeds kLargestWork, the result covers fewer epochs (Coverage::epochs). classes:
// labels of the samples; required by samplers that assign by class.
Coverage coverage(const RunConfig& config, std::int64_t datasetSize, const std::atomic<bool>* stop = nullptr,
                  const std::shared_ptr<const ClassLabels>& classes = {});

// Returns the number of samples that are trained at least once in one epoch. After *stop is set, returns early with a
// wrong number.
std::int64_t countTrainedSamples(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);
// Returns the result of countTrainedSamples() from a closed formula, without examining the samples. Returns empty if
// the formula does not apply: the sampler is not DistributedSampler, or a pitfall is configured.
std::optional<std::int64_t> countTrainedSamplesByFormula(const ShardPlan& plan);

}  // namespace ringside
