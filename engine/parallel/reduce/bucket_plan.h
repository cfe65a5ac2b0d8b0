// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ringside {

struct BucketLimits {
    std::size_t firstBytes = std::size_t{1} << 20;
    std::size_t capBytes = std::size_t{25} << 20;
};

// Which gradients travel together: parameters in the order in which their gradients arrive (last parameter first),
// a bucket closes as soon as it holds its limit, no tensor is split. The first bucket is small so that the first
// all-reduce starts early (torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size after rebuild).
// parameterBytes is in registration order; the result holds parameter indices in launch order.
std::vector<std::vector<std::size_t>> planBuckets(const std::vector<std::size_t>& parameterBytes, BucketLimits limits);

}  // namespace ringside
