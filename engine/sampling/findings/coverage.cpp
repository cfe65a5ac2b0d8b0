// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/coverage.h"

#include <algorithm>
#include <vector>

#include "sampling/findings/assignment_effects.h"
#include "sampling/plan/class_labels.h"
#include "sampling/plan/epoch_spec.h"
#include "sampling/plan/work_limits.h"

namespace ringside {
namespace {

std::int64_t markAll(const ShardPlan& plan, std::vector<bool>& seen, const std::atomic<bool>* stop) {
    const std::optional<std::int64_t> prefix = countTrainedSamplesByFormula(plan);
    if (!prefix) {
        return markTrained(plan, seen, stop);
    }
    std::int64_t added = 0;
    for (const std::uint32_t sample : plan.order().first(static_cast<std::size_t>(*prefix))) {
        added += seen[sample] ? 0 : 1;
        seen[sample] = true;
    }
    return added;
}

}  // namespace

// DistributedSampler assigns positions to the ranks in turn, so the trained positions are the first ones of the padded
// or truncated order.
std::optional<std::int64_t> countTrainedSamplesByFormula(const ShardPlan& plan) {
    const ShardSpec& spec = plan.spec();
    if (spec.pitfalls.any() || spec.kind != SamplerKind::kDistributed) {
        return {};
    }
    const std::int64_t used = plan.trainedOf(0) * spec.worldSize;
    return std::min<std::int64_t>(used, spec.datasetSize);
}

std::int64_t countTrainedSamples(const ShardPlan& plan, const std::atomic<bool>* stop) {
    if (const std::optional<std::int64_t> prefix = countTrainedSamplesByFormula(plan)) {
        return *prefix;
    }
    std::vector<bool> seen(static_cast<std::size_t>(plan.spec().datasetSize));
    return markTrained(plan, seen, stop);
}

Coverage coverage(const RunConfig& config, std::int64_t datasetSize, const std::atomic<bool>* stop,
                  const std::shared_ptr<const ClassLabels>& classes) {
    Coverage result{datasetSize, config.training.epochs, 0};
    ShardSpec first = epochSpec(config, datasetSize, 0);
    const bool shuffles = config.sampler.shuffle || first.kind == SamplerKind::kRandom || needsClasses(first.kind);
    const bool changes = shuffles && first.kind != SamplerKind::kSequential;
    // True if all epochs have the same order of samples.
    const bool same = !changes || (!config.sampler.setEpoch && usesSetEpoch(first.kind));
    const std::int64_t bound = std::max<std::int64_t>(1, kLargestWork / std::max<std::int64_t>(1, datasetSize));
    const std::int64_t epochs = same ? 1 : std::min<std::int64_t>(config.training.epochs, bound);
    std::vector<bool> seen(static_cast<std::size_t>(datasetSize));
    std::int64_t left = datasetSize;
    for (std::int64_t epoch = 0; epoch < epochs && left > 0 && !(stop && *stop); ++epoch) {
        ShardSpec spec = epochSpec(config, datasetSize, epoch);
        spec.data = classes;
        const auto plan = ShardPlan::make(spec, stop);
        if (!plan) {
            break;
        }
        if (countTrainedSamplesByFormula(plan.value()) == datasetSize) {
            left = 0;
            break;
        }
        left -= markAll(plan.value(), seen, stop);
    }
    result.neverSeen = left;
    if (!same && left > 0) {
        result.epochs = epochs;
    }
    return result;
}

}  // namespace ringside
