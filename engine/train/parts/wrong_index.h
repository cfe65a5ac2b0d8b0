// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace ringside {

// Fault injected by a test: one rank trains a sample that differs from the plan, to prove that the difference is
// detected. Set only by the hooks of a test's own worker.
struct WrongIndex {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t slot = 0;
    std::int64_t sample = 0;  // index of the sample that replaces the planned one

    // Replaces the index of the slot if the batch that starts at `firstSlot` of epoch `ofEpoch` contains the slot.
    void apply(std::int64_t ofEpoch, std::int64_t firstSlot, std::span<std::int64_t> indices) const;
};

}  // namespace ringside
