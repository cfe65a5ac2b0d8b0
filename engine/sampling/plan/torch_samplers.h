// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/errors/result.h"
#include "sampling/random/torch_random.h"

namespace ringside {

// Samplers of torch.utils.data.sampler, drawn for a whole epoch. Indices and the final state of the generator equal
// PyTorch's. Counts are from 1 to 2^31 - 1, as the samplers' constructors require.

// Returns list(RandomSampler(range(n), replacement, num_samples, generator)).
std::vector<std::int64_t> drawRandomSampler(TorchGenerator& generator, std::int64_t n, std::int64_t count,
                                            bool replacement);

// Returns the private generator that RandomSampler creates for an epoch if none is given. Takes one draw from the
// global generator.
TorchGenerator randomSamplerGenerator(TorchGenerator& global);

// Returns list(WeightedRandomSampler(weights, count, replacement=True, generator)). Problems: a weight that is negative
// or not finite, or weights whose sum is 0. For a count of 1, the result is that of PyTorch 1.x; PyTorch 2.x uses
// another algorithm for this count.
Result<std::vector<std::int64_t>> drawWeightedSampler(TorchGenerator& generator, std::span<const double> weights,
                                                      std::int64_t count);

}  // namespace ringside
