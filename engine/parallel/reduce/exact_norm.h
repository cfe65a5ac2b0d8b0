// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ringside {

// Sum of squares of floats without rounding, so that the result does not depend on the order of additions or on how the
// values are divided among ranks. The square of a float's 24-bit significand is an integer of 48 bits. Integers with
// the same exponent are added in two 64-bit sums, one for the lower and one for the upper 24 bits; only total() rounds.
class ExactSquares {
  public:
    void add(std::span<const float> values);
    // Sums to be added up over the ranks that hold other values.
    std::span<std::int64_t> sums() { return m_sums; }
    double total() const;  // NaN if a value is infinite or NaN

  private:
    static constexpr std::size_t kExponents = 256;
    std::array<std::int64_t, 2 * kExponents> m_sums{};  // low halves, then high halves, by biased exponent
};

}  // namespace ringside
