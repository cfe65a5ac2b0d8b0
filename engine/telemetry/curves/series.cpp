// SPDX-License-Identifier: Apache-2.0
#include "telemetry/curves/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside {
namespace {

// Merges the point `later` into `into`. If the mean of one point is NaN, the merged mean is NaN. If the minimum or
// maximum of one point is NaN, the value of the other point is used.
void join(SeriesPoint& into, const SeriesPoint& later) {
    const double count = static_cast<double>(into.count) + later.count;
    into.mean = static_cast<float>((double{into.mean} * into.count + double{later.mean} * later.count) / count);
    if (later.minimum < into.minimum || std::isnan(into.minimum)) into.minimum = later.minimum;
    if (later.maximum > into.maximum || std::isnan(into.maximum)) into.maximum = later.maximum;
    into.count = static_cast<std::int32_t>(std::min(count, double{std::numeric_limits<std::int32_t>::max()}));
    into.step = later.step;
    into.epoch = later.epoch;
    into.samples = later.samples;
    into.timeUs = later.timeUs;
}

}  // namespace

Series::Series(std::size_t capacity) : m_capacity(std::max<std::size_t>(capacity, 2)) {}

void Series::add(const SeriesPoint& point) {
    if (!m_points.empty() && m_points.back().count < m_stepsPerPoint) {
        join(m_points.back(), point);
        return;
    }
    if (m_points.size() == m_capacity) {
        mergeNeighbours();
        add(point);
        return;
    }
    m_points.push_back(point);
}

void Series::clear() {
    m_points.clear();
    m_stepsPerPoint = 1;
}

std::span<const SeriesPoint> Series::points() const {
    return m_points;
}

// Doubles the number of steps per point until there is room for another point. Merges two neighbouring points only if
// their steps fit into one point of the new resolution.
void Series::mergeNeighbours() {
    while (m_points.size() == m_capacity) {
        m_stepsPerPoint *= 2;
        std::size_t kept = 0;
        for (std::size_t i = 1; i < m_points.size(); ++i) {
            if (std::int64_t{m_points[kept].count} + m_points[i].count <= m_stepsPerPoint) {
                join(m_points[kept], m_points[i]);
            } else {
                m_points[++kept] = m_points[i];
            }
        }
        m_points.resize(kept + 1);
    }
}

}  // namespace ringside
