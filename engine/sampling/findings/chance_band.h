// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Usual range (95 %) of the number of samples of one class among samples that are drawn at random without replacement.
// This number has a hypergeometric distribution, which the range approximates by a normal distribution.
struct ChanceBand {
    double expected = 0;
    double low = 0;  // lower end of the range: expected value minus 1.96 standard deviations, at least 0
    double high = 0;
    double variance = 0;
};

// Returns the range for `drawn` out of `population` samples, of which `ofClass` belong to the class.
ChanceBand chanceBand(std::int64_t population, std::int64_t ofClass, std::int64_t drawn);

// True if `count` lies outside the range after both ends are rounded outwards to integers.
bool isOutside(std::int64_t count, const ChanceBand& band);

// Returns the probability that isOutside() is true for samples drawn at random: the sum of both hypergeometric tails.
// Because counts are integers, this probability is below 5 %, and often 0 for small counts.
double probabilityOutsideBand(std::int64_t population, std::int64_t ofClass, std::int64_t drawn);

}  // namespace ringside
