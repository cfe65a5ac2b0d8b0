// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Largest number of samples for which a plan is computed in the calling thread. Larger plans are computed in a separate
// thread.
inline constexpr std::int64_t kInstantSamples = 20'000;
// Largest number of shuffled samples, summed over epochs, that are examined to count or find untrained samples.
// Examining this number of samples takes a few seconds.
inline constexpr std::int64_t kLargestWork = 1'000'000'000;

}  // namespace ringside
