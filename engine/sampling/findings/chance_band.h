// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Range of the number of samples of one class among samples drawn at random without replacement, which has a
// hypergeometric distribution.
struct ChanceBand {
    double expected = 0;
    double low = 0;  // lower end: expected value minus 1.96 standard deviations
    double high = 0;
    double variance = 0;
};

// Returns the band for `drawn` out of n samples, of which `ofClass` belong to the class.
ChanceBand chanceBand(std::int64_t n, std::int64_t ofClass, std::int64_t drawn);

// True if a count lies outside the band, rounded outwards to integers.
bool isOutside(std::int64_t count, const ChanceBand& band);

// Returns the probability that isOutside() is true for a random assignment: the sum of both hypergeometric tails.
// Because counts are integers, it is below the 5 % of a continuous band, and often 0 for small counts.
double outsideProbability(std::int64_t n, std::int64_t ofClass, std::int64_t drawn);

}  // namespace ringside
