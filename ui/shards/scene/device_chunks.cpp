// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/device_chunks.h"

#include <algorithm>

namespace ringside {

DeviceChunk chunkOf(std::int64_t batchSize, std::int64_t samples, int devices, std::int64_t slot) {
    const std::int64_t first = slot / batchSize * batchSize;
    const std::int64_t inBatch = std::clamp<std::int64_t>(samples - first, 1, batchSize);
    const std::int64_t size = (inBatch + devices - 1) / devices;
    const std::int64_t device = (slot - first) / size;
    const std::int64_t begin = first + device * size;
    return {static_cast<int>(device), begin, std::min(size, first + inBatch - begin)};
}

DeviceChunk chunkAt(const ShardPlan& plan, int devices, int rank, std::int64_t slot) {
    return chunkOf(plan.spec().batchSize, plan.samplesOf(rank), devices, slot);
}

}  // namespace ringside
