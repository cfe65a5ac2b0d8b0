// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_marks.h"

namespace ringside {

SlotRange paddedSlots(const ShardPlan& plan, int rank) {
    const std::int64_t end = plan.samplesOf(rank);
    if (end == 0 || !plan.isPadded(rank, end - 1)) return {end, 0};
    // The binary search always finds a padded slot, because the rank's last slot is padded.
    std::int64_t first = 0, last = end - 1;
    while (first < last) {
        const std::int64_t middle = first + (last - first) / 2;
        if (plan.isPadded(rank, middle)) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    return {last, end - last};
}

SlotRange loaderDroppedSlots(const ShardPlan& plan, int rank) {
    const std::int64_t trained = plan.trainedOf(rank);
    return {trained, plan.samplesOf(rank) - trained};
}

bool leavesOutOnlyDropped(const ShardSpec& spec) {
    return !spec.pitfalls.any() && !mayRepeatSamples(spec.kind) && spec.kind != SamplerKind::kSubset;
}

std::vector<std::uint32_t> unusedSamples(const ShardPlan& plan, const std::atomic<bool>* stop) {
    const ShardSpec& spec = plan.spec();
    if (leavesOutOnlyDropped(spec)) return {plan.dropped().begin(), plan.dropped().end()};
    std::vector<bool> used(static_cast<std::size_t>(spec.datasetSize));
    for (int rank = 0; rank < spec.worldSize && !(stop && *stop); ++rank) {
        const std::int64_t own = plan.samplesOf(rank);
        for (std::int64_t slot = 0; slot < own; ++slot) used[static_cast<std::size_t>(plan.index(rank, slot))] = true;
    }
    std::vector<std::uint32_t> unused;
    for (std::size_t sample = 0; sample < used.size(); ++sample) {
        if (!used[sample]) unused.push_back(static_cast<std::uint32_t>(sample));
    }
    return unused;
}

}  // namespace ringside
