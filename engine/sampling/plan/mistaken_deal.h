// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/errors/result.h"
#include "sampling/plan/shard_layout.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// What is dealt when DistributedSampler is used wrongly on purpose.

// Mistakes that cannot be dealt: PyTorch refuses them, another sampler is chosen, or the lists are too long.
Problems checkPitfalls(const ShardSpec& spec);

// The num_replicas that the sampler is given.
std::int64_t toldWorldSize(const ShardSpec& spec);

// Whether every rank deals from an order of its own.
bool partsOrders(const PitfallsConfig& pitfalls);

// Rank after rank, layout.samplesPerRank indices each. Double sharding splits first as DistributedSampler without
// shuffle would, and lets the sampler deal each rank's share of that to all ranks again. When *stop is set, later ranks
// are left out.
std::vector<std::uint32_t> dealByMistake(const ShardSpec& spec, const ShardLayout& layout,
                                         const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
