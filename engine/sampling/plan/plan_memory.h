// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/errors/result.h"

namespace ringside {

// Memory needed to list a plan's samples, in bytes per sample: the shuffled order as 32-bit indices.
inline constexpr std::int64_t kListBytesPerSample = 4;
// Most memory for queries of a plan, in bytes per sample: two orders, and the positions of each sample.
inline constexpr std::int64_t kQueryBytesPerSample = 24;

// Returns a problem if a plan of `size` samples takes more than `availableBytes` of memory. 0 means unknown: no limit.
std::optional<Problem> planMemoryProblem(std::int64_t size, std::int64_t bytesPerSample, std::int64_t availableBytes);

}  // namespace ringside
