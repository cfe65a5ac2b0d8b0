// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/errors/result.h"

namespace ringside {

// Bytes for each sample that a listing of the plan takes: the shuffled order, as 32-bit indices.
inline constexpr std::int64_t kListingBytes = 4;
// Bytes for each sample that the questions about a plan take at most: two orders, and the places of each sample.
inline constexpr std::int64_t kQuestionBytes = 24;

// Returns a problem where a plan of `size` samples takes more memory than `availableBytes`; 0: not known, no limit.
std::optional<Problem> planMemoryProblem(std::int64_t size, std::int64_t bytesPerSample, std::int64_t availableBytes);

}  // namespace ringside
