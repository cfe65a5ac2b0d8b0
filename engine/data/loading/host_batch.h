// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace ringside {

// Samples in a row, in host memory.
struct HostBatch {
    std::span<std::int64_t> indices;  // their numbers in the data set; as many as there are rows
    std::span<float> features;        // rows x features
    std::span<std::int64_t> labels;   // rows x labels of a sample; empty for regression
    std::span<float> targets;         // rows x targets; empty for classes

    std::int64_t rows() const { return static_cast<std::int64_t>(indices.size()); }
};

}  // namespace ringside
