// SPDX-License-Identifier: Apache-2.0
#include "telemetry/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside {
namespace {

// Joins `later` into `into`; a NaN mean stays visible, NaN never hides a minimum or maximum.
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

void Series::mergeNeighbours() {
    const std::size_t pairs = m_points.size() / 2;
    const bool odd = m_points.size() % 2 == 1;
    for (std::size_t i = 0; i < pairs; ++i) {
        m_points[i] = m_points[2 * i];
        join(m_points[i], m_points[2 * i + 1]);
    }
    if (odd) m_points[pairs] = m_points.back();
    m_points.resize(pairs + (odd ? 1 : 0));
    m_stepsPerPoint *= 2;
}

}  // namespace ringside
