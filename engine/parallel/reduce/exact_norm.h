// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "backend/exact_squares.h"

namespace ringside {

// Sum of squares of floats in host memory without rounding, so that the result does not depend on the order of
// additions or on how the values are divided.
class ExactSquares {
  public:
    void add(std::span<const float> values) {
        for (const float value : values) addExactSquare(value, m_sums.data());
    }
    // returns the sum of squares; NaN if a value is infinite or NaN
    double total() const { return totalOfExactSquares(m_sums.data()); }

  private:
    std::array<std::int64_t, kExactSums> m_sums{};
};

}  // namespace ringside
