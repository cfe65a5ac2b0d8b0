// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/errors/result.h"

namespace ringside {

// Memory needed to list a plan's samples, in bytes per sample: the shuffled order as 32-bit indices.
inline constexpr std::int64_t kListBytesPerSample = 4;
// Maximum memory that queries of a plan need, in bytes per sample: two orders, and the positions of each sample.
inline constexpr std::int64_t kQueryBytesPerSample = 24;

// Returns a problem if a plan of `size` samples takes more than `availableBytes` of memory. Returns no problem if
// availableBytes is 0, which means that the available memory is unknown.
std::optional<Problem> planMemoryProblem(std::int64_t size, std::int64_t bytesPerSample, std::int64_t availableBytes);

}  // namespace ringside
