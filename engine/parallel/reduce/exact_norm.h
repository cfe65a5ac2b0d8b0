// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ringside {

// The sum of squares of floats without any rounding, so that it is the same in whatever parts it is added up: the
// square of a significand is a whole number of 48 bits, and those of one exponent are summed as two halves.
class ExactSquares {
  public:
    void add(std::span<const float> values);
    // To be added up over the ranks that have other values.
    std::span<std::int64_t> sums() { return m_sums; }
    double total() const;  // NaN when a value was no number or infinite

  private:
    static constexpr std::size_t kExponents = 256;
    std::array<std::int64_t, 2 * kExponents> m_sums{};  // low halves, then high halves, by biased exponent
};

}  // namespace ringside
