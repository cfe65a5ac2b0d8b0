// SPDX-License-Identifier: Apache-2.0
// Sum of squares of floats without rounding, for host and device. The square of a float's 24-bit significand is an
// integer of 48 bits. Integers with the same exponent are added in two 64-bit sums, one for the lower and one for the
// upper 24 bits; only the total rounds.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/host_device.h"

namespace ringside {

inline constexpr std::size_t kFloatExponents = 256;
// number of sums: for each biased exponent a sum of low halves, then for each biased exponent a sum of high halves
inline constexpr std::size_t kExactSums = 2 * kFloatExponents;

// Square of a float as an exponent and two halves of an integer, each of which is added to its own sum.
struct ExactSquare {
    static constexpr int kHalfBits = 24;

    std::uint32_t exponent = 0;  // biased exponent of the float: index of the sum of low halves, and of the sum of high
                                 // halves
    std::uint64_t low = 0;       // low 24 bits of the squared significand; `high` contains the bits above them
    std::uint64_t high = 0;
};

RINGSIDE_HOST_DEVICE ExactSquare exactSquareOf(float value) {
    constexpr std::uint32_t kFractionBits = 23;
    std::uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    const std::uint32_t exponent = bits >> kFractionBits & 0xff;
    const std::uint64_t fraction = bits & ((1U << kFractionBits) - 1);
    const std::uint64_t significand = exponent == 0 ? fraction : fraction | 1U << kFractionBits;
    const std::uint64_t square = significand * significand;
    return {exponent, square & ((std::uint64_t{1} << ExactSquare::kHalfBits) - 1), square >> ExactSquare::kHalfBits};
}

// Adds the square of a value to kExactSums sums.
RINGSIDE_HOST_DEVICE void addExactSquare(float value, std::int64_t* sums) {
    const ExactSquare square = exactSquareOf(value);
    sums[square.exponent] += static_cast<std::int64_t>(square.low);
    sums[kFloatExponents + square.exponent] += static_cast<std::int64_t>(square.high);
}

// Returns the total of kExactSums sums. NaN if a value was infinite or NaN.
RINGSIDE_HOST_DEVICE double totalOfExactSquares(const std::int64_t* sums) {
    constexpr int kUnitExponent = -149;  // exponent of the last bit of a subnormal float
    if (sums[kExactSums - 1] != 0) return NAN;
    double sum = 0;
    for (std::size_t exponent = 0; exponent + 1 < kFloatExponents; ++exponent) {
        const int place = 2 * (kUnitExponent + (exponent == 0 ? 0 : static_cast<int>(exponent) - 1));
        const auto low = static_cast<double>(sums[exponent]);
        const auto high = static_cast<double>(sums[kFloatExponents + exponent]);
        sum += ldexp(ldexp(high, ExactSquare::kHalfBits) + low, place);
    }
    return sum;
}

}  // namespace ringside
