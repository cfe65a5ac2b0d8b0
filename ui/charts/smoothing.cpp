// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/smoothing.h"

#include <cmath>

namespace ringside {

double Smoother::next(double value) {
    if (m_weight <= 0 || !std::isfinite(value)) return value;
    m_average = m_weight * m_average + (1 - m_weight) * value;
    m_weightLeft *= m_weight;
    return m_average / (1 - m_weightLeft);
}

std::vector<double> smoothed(std::span<const double> values, double weight) {
    std::vector<double> result;
    result.reserve(values.size());
    Smoother smoother(weight);
    for (const double value : values) result.push_back(smoother.next(value));
    return result;
}

}  // namespace ringside
