// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace ringside {

// Fault injected by a test: one rank trains another sample than the one that the sampler assigns to this rank, to prove
// that the difference is detected. Set only by the hooks of a test's own worker.
struct WrongIndex {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t slot = 0;
    std::int64_t sample = 0;  // index of the sample that replaces the planned one

    // Replaces one index in `indices`, the samples of a batch that starts at position `firstSlot` of the rank's list in
    // epoch `ofEpoch`, if the position of the fault lies in this batch.
    void replaceIn(std::int64_t ofEpoch, std::int64_t firstSlot, std::span<std::int64_t> indices) const;
};

}  // namespace ringside
