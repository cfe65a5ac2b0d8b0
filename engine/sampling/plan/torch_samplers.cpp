// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/torch_samplers.h"

#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

void append(std::vector<std::int64_t>& out, std::span<const std::uint32_t> order) {
    out.insert(out.end(), order.begin(), order.end());
}

// Returns the cumulative sums of the weights as torch.multinomial computes them: added from left to right in double and
// divided by the total. The last sum is exactly 1.
std::vector<double> cumulative(std::span<const double> weights) {
    std::vector<double> sums;
    sums.reserve(weights.size());
    double total = 0;
    for (const double weight : weights) sums.push_back(total += weight);
    for (double& sum : sums) sum /= total;
    sums.back() = 1;
    return sums;
}

}  // namespace

std::vector<std::int64_t> drawRandomSampler(TorchGenerator& generator, std::int64_t n, std::int64_t count,
                                            bool replacement) {
    RINGSIDE_ASSERT(n >= 1 && count >= 1);
    std::vector<std::int64_t> indices;
    indices.reserve(static_cast<std::size_t>(count));
    if (replacement) {
        while (static_cast<std::int64_t>(indices.size()) < count) indices.push_back(generator.randint(0, n));
        return indices;
    }
    for (std::int64_t round = 0; round < count / n; ++round) append(indices, generator.randperm(n));
    // The last permutation is drawn even if none of it is used, so that a shared generator advances as in PyTorch.
    const std::vector<std::uint32_t> last = generator.randperm(n);
    append(indices, std::span(last).first(static_cast<std::size_t>(count % n)));
    return indices;
}

TorchGenerator randomSamplerGenerator(TorchGenerator& global) {
    return TorchGenerator(global.randomInt64());
}

Result<std::vector<std::int64_t>> drawWeightedSampler(TorchGenerator& generator, std::span<const double> weights,
                                                      std::int64_t count) {
    double total = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!std::isfinite(weights[i]) || weights[i] < 0) {
            return Problem{"weight " + std::to_string(i),
                           "is " + std::to_string(weights[i]) + "; it must be finite and not below 0",
                           "correct the weight"};
        }
        total += weights[i];
    }
    if (!(total > 0) || !std::isfinite(total)) {
        return Problem{"weights", "add up to " + std::to_string(total) + "; the sum must be above 0 and finite",
                       "give at least one sample a weight above 0"};
    }
    const std::vector<double> sums = cumulative(weights);
    std::vector<std::int64_t> drawn(static_cast<std::size_t>(count));
    for (std::int64_t& index : drawn) index = std::ranges::lower_bound(sums, generator.uniform53()) - sums.begin();
    return drawn;
}

}  // namespace ringside
