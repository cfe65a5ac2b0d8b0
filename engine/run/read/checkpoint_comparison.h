// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

// Tensor of a checkpoint whose values differ between two runs by more than the tolerance.
struct WeightDifference {
    std::int64_t step = 0;
    std::string name;
    double relative = 0;  // largest difference of a value, relative to the largest absolute value of the tensor
    double ratio = 0;     // norm of B's tensor divided by that of A's; NaN if A's norm is 0
};

// Comparison of the weights in the checkpoints of two runs, at the steps at which both have one.
struct CheckpointComparison {
    double tolerance = 0;
    std::vector<std::int64_t> steps;        // compared, ascending; none after the first difference
    std::int64_t tensors = 0;               // number of compared pairs at all steps
    double largest = 0;                     // largest relative difference of them
    std::optional<WeightDifference> first;  // by step, then by name
    std::int64_t differing = 0;             // tensors that differ at that step
    std::vector<std::string> notCompared;   // tensors of one run only or of another type or shape

    bool equal() const { return !first && tensors > 0 && notCompared.empty(); }
};

// Compares the checkpoints of two run directories. tolerance: largest relative difference that counts as rounding.
// Reads one tensor at a time. A run without a complete checkpoint has no common steps; a damaged file is a problem.
Result<CheckpointComparison> compareCheckpoints(const std::filesystem::path& a, const std::filesystem::path& b,
                                                double tolerance);

}  // namespace ringside
