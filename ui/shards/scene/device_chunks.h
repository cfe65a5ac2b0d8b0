// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Part of a batch that data_parallel sends to one device. As in torch.chunk, its size is the batch size divided by the
// number of devices, rounded up; the last chunks may be smaller or missing.
struct DeviceChunk {
    int device = 0;
    std::int64_t first = 0;  // position (slot) of the first sample of the chunk
    std::int64_t count = 0;
};

// Returns the chunk (part of the batch for one device) that contains a slot. samples: number of samples of the rank;
// devices: at least 1.
DeviceChunk chunkOf(std::int64_t batchSize, std::int64_t samples, int devices, std::int64_t slot);
DeviceChunk chunkAt(const ShardPlan& plan, int devices, int rank, std::int64_t slot);

}  // namespace ringside
