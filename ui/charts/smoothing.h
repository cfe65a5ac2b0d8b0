// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace ringside {

// Exponential moving average with weight w: s_t = w s_(t-1) + (1 - w) x_t, with s_0 = 0. The result is s_t / (1 - w^t),
// because s_t alone would draw the first values towards zero. w is at least 0 (no smoothing) and below 1. Values that
// are not finite are returned unchanged and do not enter the average.
class Smoother {
  public:
    explicit Smoother(double weight) : m_weight(weight) {}
    double next(double value);

  private:
    double m_weight;
    double m_average = 0;
    double m_weightLeft = 1;  // weight of the initial value s_0 after t values: w^t
};

// Returns a smoothed value for each of `values`, in the same order.
std::vector<double> smoothed(std::span<const double> values, double weight);

}  // namespace ringside
