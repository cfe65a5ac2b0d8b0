// SPDX-License-Identifier: Apache-2.0
#include "plan/bucket_plan.h"

namespace ringside {

std::vector<std::vector<std::size_t>> planBuckets(const std::vector<std::size_t>& parameterBytes, BucketLimits limits) {
    std::vector<std::vector<std::size_t>> buckets;
    std::vector<std::size_t> open;
    std::size_t openBytes = 0;
    for (std::size_t i = parameterBytes.size(); i-- > 0;) {
        open.push_back(i);
        openBytes += parameterBytes[i];
        if (openBytes < (buckets.empty() ? limits.firstBytes : limits.capBytes)) continue;
        buckets.push_back(std::move(open));
        open.clear();
        openBytes = 0;
    }
    if (!open.empty()) buckets.push_back(std::move(open));
    return buckets;
}

}  // namespace ringside
