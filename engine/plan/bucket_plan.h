// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ringside {

// Sizes, in bytes, at which buckets are full.
struct BucketLimits {
    std::size_t firstBytes = std::size_t{1} << 20;
    std::size_t capBytes = std::size_t{25} << 20;
};

// Groups gradients into buckets. Gradients are taken in the order in which the backward pass computes them, last
// parameter first; a bucket is closed as soon as it reaches its limit, and no tensor is split. The first bucket is
// small so that the first all-reduce starts early (torch/csrc/distributed/c10d/reducer.cpp,
// compute_bucket_assignment_by_size after rebuild).
//
// parameterBytes: size of each parameter, in registration order. Returns the parameter indices of each bucket, in the
// order in which the buckets are launched.
std::vector<std::vector<std::size_t>> planBuckets(const std::vector<std::size_t>& parameterBytes, BucketLimits limits);

}  // namespace ringside
