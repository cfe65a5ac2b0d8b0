// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace ringside {

// Exponential moving average, debiased: s_t = w s_(t-1) + (1 - w) x_t from s_0 = 0, divided by 1 - w^t, so that the
// first values are not drawn towards zero. weight 0 = off, below 1. Values that are not finite pass through and are not
// averaged in.
class Smoother {
  public:
    explicit Smoother(double weight) : m_weight(weight) {}
    double next(double value);

  private:
    double m_weight;
    double m_average = 0;
    double m_weightLeft = 1;  // remaining weight of the initial average of 0, after t values: w^t
};

// Returns the smoothed values in the same order.
std::vector<double> smoothed(std::span<const double> values, double weight);

}  // namespace ringside
