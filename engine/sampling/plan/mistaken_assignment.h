// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/errors/result.h"
#include "sampling/plan/shard_layout.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// Assignment of samples if DistributedSampler is deliberately misused (the pitfalls of the configuration).

// Returns a problem for each pitfall that cannot be planned: PyTorch refuses the pitfall, the sampler is not
// DistributedSampler, or the orders of all ranks together have too many samples.
Problems checkPitfalls(const ShardSpec& spec);

// Returns the num_replicas that is passed to the sampler.
std::int64_t samplerWorldSize(const ShardSpec& spec);

// True if a pitfall gives every rank an order of its own.
bool hasOrderPerRank(const PitfallsConfig& pitfalls);

// Returns the indices of all ranks, rank by rank, layout.samplesPerRank each. With double sharding, the data is first
// split as by DistributedSampler without shuffle, and the sampler then splits each rank's share among all ranks again.
// After *stop is set, later ranks are missing.
std::vector<std::uint32_t> assignWithMistakes(const ShardSpec& spec, const ShardLayout& layout,
                                              const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
