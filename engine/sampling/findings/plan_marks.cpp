// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_marks.h"

namespace ringside {

SlotRange paddedSlots(const ShardPlan& plan, int rank) {
    const std::int64_t end = plan.samplesOf(rank);
    if (end == 0 || !plan.isPadded(rank, end - 1)) return {end, 0};
    // The search always finds a slot, because the last position is a repeated (padded) sample.
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

}  // namespace ringside
