// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/errors/result.h"
#include "sampling/random/torch_random.h"

namespace ringside {

// torch.utils.data.sampler, drawn to the end of an epoch: the same indices, and the generator left in the same state.
// Counts are at least 1 and at most 2^31 - 1, as the samplers' own constructors demand.

// list(RandomSampler(range(n), replacement, num_samples, generator)).
std::vector<std::int64_t> drawRandomSampler(TorchGenerator& generator, std::int64_t n, std::int64_t count,
                                            bool replacement);

// The private generator that a RandomSampler without one makes for an epoch: one draw from the global generator.
TorchGenerator randomSamplerGenerator(TorchGenerator& global);

// list(SubsetRandomSampler(indices, generator)).
std::vector<std::int64_t> drawSubsetSampler(TorchGenerator& generator, std::span<const std::int64_t> indices);

// list(WeightedRandomSampler(weights, count, replacement=True, generator)). Problems: a weight that is negative or not
// finite, weights that add up to 0. A count of 1 is drawn as PyTorch 1.x draws it; 2.x goes another way there.
Result<std::vector<std::int64_t>> drawWeightedSampler(TorchGenerator& generator, std::span<const double> weights,
                                                      std::int64_t count);

// list(BatchSampler(indices, batchSize, dropLast)).
std::vector<std::vector<std::int64_t>> batchesOf(std::span<const std::int64_t> indices, std::int64_t batchSize,
                                                 bool dropLast);

// One epoch of DataLoader(range(n), batchSize, shuffle=True, drop_last) after torch.manual_seed: the loader's base seed
// is drawn from the global generator first, then RandomSampler's own seed.
struct LoaderEpoch {
    std::int64_t baseSeed = 0;
    std::vector<std::vector<std::int64_t>> batches;
};
LoaderEpoch drawShuffledLoader(TorchGenerator& global, std::int64_t n, std::int64_t batchSize, bool dropLast);

}  // namespace ringside
