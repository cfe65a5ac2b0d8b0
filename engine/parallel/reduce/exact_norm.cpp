// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/exact_norm.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ringside {

namespace {

constexpr int kHalfBits = 24;
constexpr std::uint64_t kHalf = (std::uint64_t{1} << kHalfBits) - 1;
constexpr std::uint32_t kFractionBits = 23;
constexpr int kUnitExponent = -149;  // exponent of the last bit of a subnormal float

}  // namespace

void ExactSquares::add(std::span<const float> values) {
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t exponent = bits >> kFractionBits & 0xff;
        const std::uint64_t fraction = bits & ((1U << kFractionBits) - 1);
        const std::uint64_t significand = exponent == 0 ? fraction : fraction | 1U << kFractionBits;
        const std::uint64_t square = significand * significand;
        m_sums[exponent] += static_cast<std::int64_t>(square & kHalf);
        m_sums[kExponents + exponent] += static_cast<std::int64_t>(square >> kHalfBits);
    }
}

double ExactSquares::total() const {
    if (m_sums.back() != 0) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (std::size_t exponent = 0; exponent + 1 < kExponents; ++exponent) {
        const int place = 2 * (kUnitExponent + (exponent == 0 ? 0 : static_cast<int>(exponent) - 1));
        const auto low = static_cast<double>(m_sums[exponent]);
        const auto high = static_cast<double>(m_sums[kExponents + exponent]);
        sum += std::ldexp(std::ldexp(high, kHalfBits) + low, place);
    }
    return sum;
}

}  // namespace ringside
