// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// How torch.chunk deals a batch to the devices of data_parallel: as many samples as go round evenly, rounded up, until
// there are none left.
struct DeviceChunk {
    int device = 0;
    std::int64_t first = 0;  // slot
    std::int64_t count = 0;
};

// Of the batch that a slot is in, of a rank with so many samples; devices: at least 1.
DeviceChunk chunkOf(std::int64_t batchSize, std::int64_t samples, int devices, std::int64_t slot);
DeviceChunk chunkAt(const ShardPlan& plan, int devices, int rank, std::int64_t slot);

}  // namespace ringside
