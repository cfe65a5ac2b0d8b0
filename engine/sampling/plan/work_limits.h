// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// A plan of so many samples is made, drawn or counted at once; a larger one on a thread of its own.
inline constexpr std::int64_t kInstantSamples = 20'000;
// Counting over epochs is bounded: so many shuffled samples, a few seconds.
inline constexpr std::int64_t kLargestWork = 1'000'000'000;

}  // namespace ringside
