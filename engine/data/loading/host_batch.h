// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace ringside {

// View of consecutive samples in host memory, row by row.
struct HostBatch {
    std::span<std::int64_t> indices;  // sample indices in the data set, one per row
    std::span<float> features;        // rows x features
    std::span<std::int64_t> labels;   // rows x labels per sample; empty for regression
    std::span<float> targets;         // rows x targets per sample; empty for classification

    std::int64_t rows() const { return static_cast<std::int64_t>(indices.size()); }
};

}  // namespace ringside
