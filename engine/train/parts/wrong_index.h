// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace ringside {

// A test's way to make one rank train another sample than the plan says, to prove that this is noticed. Only the hooks
// of a test's own worker set it.
struct WrongIndex {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t slot = 0;
    std::int64_t sample = 0;  // trained there instead

    // Changes the index of its slot where the batch, whose first slot is given, holds it.
    void apply(std::int64_t ofEpoch, std::int64_t firstSlot, std::span<std::int64_t> indices) const;
};

}  // namespace ringside
