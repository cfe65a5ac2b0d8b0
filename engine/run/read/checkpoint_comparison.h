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
    double ratio = 0;     // norm of the tensor in the second run divided by its norm in the first run; NaN if the
                          // latter is 0
};

// Comparison of the weights in the checkpoints of two runs, at the steps at which both runs have a checkpoint.
struct CheckpointComparison {
    double tolerance = 0;
    // Steps whose checkpoints were compared, in ascending order. The list ends with the first step that has a
    // difference.
    std::vector<std::int64_t> steps;
    std::int64_t tensors = 0;  // number of pairs of tensors that were compared, over all steps
    double largest = 0;        // largest relative difference of the compared tensors
    // First tensor that differs, by step and then by name; empty if there is none.
    std::optional<WeightDifference> first;
    std::int64_t differing = 0;  // number of tensors that differ at the first step that has a difference
    // Names of the tensors that only one run has, or whose type or shape differs.
    std::vector<std::string> notCompared;

    bool equal() const { return !first && tensors > 0 && notCompared.empty(); }
};

// Compares the checkpoints of two run directories, one tensor at a time. tolerance: largest relative difference that
// counts as rounding. If a run has no complete checkpoint, no steps are compared. Returns a problem if a file is
// damaged.
Result<CheckpointComparison> compareCheckpoints(const std::filesystem::path& a, const std::filesystem::path& b,
                                                double tolerance);

}  // namespace ringside
