// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "charts/curve.h"
#include "charts/smoothing.h"

namespace ringside {

// Smoothed values of a curve. If the curve has only grown since the last call of follow(), the next call computes only
// the values of the new points.
class SmoothedCurve {
  public:
    void follow(const CurvePoints& points, double weight);
    double operator[](std::size_t index) const { return m_values[index]; }
    std::size_t size() const { return m_values.size(); }

  private:
    CurvePoints m_points;
    std::optional<double> m_weight;
    // state of the smoother before the last point, which can still change and is then smoothed again
    Smoother m_settled{0};
    std::vector<double> m_values;
};

}  // namespace ringside
