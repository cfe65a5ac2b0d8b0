// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Range of the number of samples of one class among samples drawn at random without replacement: a hypergeometric
// number.
struct ChanceBand {
    double expected = 0;
    double low = 0;  // expected -+ 1.96 standard deviations
    double high = 0;
    double variance = 0;
};

// The band of `drawn` out of n samples, of which `ofClass` belong to the class.
ChanceBand chanceBand(std::int64_t n, std::int64_t ofClass, std::int64_t drawn);

// True if a count lies outside the whole numbers that the band reaches.
bool isOutside(std::int64_t count, const ChanceBand& band);

// Returns the probability that isOutside() is true of a random assignment: the sum of both hypergeometric tails. Counts
// are whole numbers, so that this is less than the 5 % of a continuous band, and often 0 for small counts.
double outsideProbability(std::int64_t n, std::int64_t ofClass, std::int64_t drawn);

}  // namespace ringside
