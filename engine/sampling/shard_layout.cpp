// SPDX-License-Identifier: Apache-2.0
#include "sampling/shard_layout.h"

#include "sampling/shard_plan.h"

namespace ringside {

ShardLayout ShardLayout::roundRobin(const ShardSpec& spec) {
    const std::int64_t floor = spec.datasetSize / spec.worldSize;
    const bool even = spec.datasetSize % spec.worldSize == 0;
    return {spec.datasetSize, spec.worldSize, even || spec.dropLast ? floor : floor + 1};
}

}  // namespace ringside
