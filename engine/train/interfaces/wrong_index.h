// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace ringside {

// Fault that a test injects: one rank trains another sample than the sampler assigns to it. The test then checks that
// the difference is detected. Never set in the workers that users run.
struct WrongIndex {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t slot = 0;
    std::int64_t sample = 0;  // index of the sample that replaces the planned one

    // Replaces the planned index in `indices` if the position of the fault is in this batch. firstSlot: position of the
    // batch's first sample in the rank's list of samples in epoch `ofEpoch`.
    void replaceIn(std::int64_t ofEpoch, std::int64_t firstSlot, std::span<std::int64_t> indices) const;
};

}  // namespace ringside
