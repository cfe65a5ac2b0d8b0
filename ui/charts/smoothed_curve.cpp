// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/smoothed_curve.h"

namespace ringside {

void SmoothedCurve::follow(const CurvePoints& points, double weight) {
    if (!points.isSame(m_points) || m_weight != weight || points.size() < m_values.size()) {
        m_points = points;
        m_weight = weight;
        m_settled = Smoother(weight);
        m_values.clear();
    }
    if (points.empty()) return;
    if (!m_values.empty()) m_values.pop_back();
    m_values.reserve(points.size());
    while (m_values.size() + 1 < points.size()) m_values.push_back(m_settled.next(points[m_values.size()].y));
    Smoother last = m_settled;
    m_values.push_back(last.next(points.back().y));
}

}  // namespace ringside
