// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "watch/audit/tensor_record.h"

namespace ringside {

// Tensor whose numbers differ between two runs by more than rounding.
struct TensorDifference {
    TensorStep at;
    std::string name;
    bool isGradient = false;
    double a = 0, b = 0;  // norms of the tensor in run A and in run B; if the norms are equal, the sums of its values
    double relative = 0;  // relative difference of the norms, or of the sums if that is larger
    // Ratio b / a of the norms: k for the ratio k, and -k for the ratio 1 / k. k is a whole number from 2 to the larger
    // number of ranks. Empty if the ratio is another number, or if the sums have another ratio.
    std::optional<int> factor;
    bool operator==(const TensorDifference&) const = default;
};

// Comparison of the weights and averaged gradients of two watched runs, at the steps at which both were measured.
struct TensorComparison {
    double tolerance = 0;
    int ranksOfA = 1, ranksOfB = 1;
    std::vector<TensorStep> steps;  // compared steps, up to and including the first difference
    std::int64_t tensors = 0;       // number of tensors compared at each step
    // number of pairs of weight tensors with finite values that were compared, at all steps
    std::int64_t weights = 0;
    std::int64_t gradients = 0;             // number of pairs of gradients that were compared, at all steps
    std::optional<TensorDifference> first;  // first tensor that differs: gradients before weights, in the
                                            // optimizer's order
    // number of tensors that differ at the step of the first difference: gradients if `first` is a gradient, otherwise
    // weights
    std::int64_t differing = 0;
    bool sameFactor = false;  // true if all tensors that differ at the step of the first difference
                              // have the same ratio of norms as this difference
    // first compared step in which the runs trained different samples; empty if there is none
    std::optional<std::int64_t> otherSamples;
    std::vector<std::string> notCompared;  // reasons why something could not be compared

    bool equal() const { return !first && weights > 0; }
    Json toJson() const;
    // Returns the result as text for users, formatted as RunComparison::text().
    std::string text() const;
};

// Compares two runs. tolerance: largest relative difference that counts as rounding, at step 1 and for 32-bit weights.
// It is multiplied by 100 for weights in bfloat16 or float16, and by 10 at later steps, because rounding differences
// grow. lastStep: last step to compare, given if the ranks of a run were restarted after this step, because later steps
// of the two runs do not correspond. Empty: all steps.
TensorComparison compareTensors(const TensorRecord& a, const TensorRecord& b, double tolerance,
                                std::optional<std::int64_t> lastStep = {});

}  // namespace ringside
