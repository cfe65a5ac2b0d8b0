// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/shown_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside {

std::pair<std::size_t, std::size_t> drawnRange(const Curve& curve, const AxisRange& x) {
    const auto from = std::ranges::lower_bound(curve.points, x.minimum, {}, &CurvePoint::x);
    const auto to = std::ranges::upper_bound(curve.points, x.maximum, {}, &CurvePoint::x);
    const auto first = static_cast<std::size_t>(from - curve.points.begin());
    const auto end = static_cast<std::size_t>(to - curve.points.begin());
    return {first > 0 ? first - 1 : 0, std::min(end + 1, curve.points.size())};
}

void ShownCurves::setCurves(std::vector<Curve> curves) {
    m_curves = std::move(curves);
    smooth();
}

void ShownCurves::setSmoothing(double weight) {
    m_smoothing = weight;
    smooth();
}

void ShownCurves::smooth() {
    m_smoothed.resize(m_curves.size());
    for (std::size_t at = 0; at < m_curves.size(); ++at) {
        const Curve& curve = m_curves[at];
        m_smoothed[at].follow(curve.points, curve.kind == Curve::Kind::MarkedLine ? 0 : m_smoothing);
    }
}

double ShownCurves::toY(double value) const {
    return m_logarithmic ? (value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN()) : value;
}

std::vector<QPointF> ShownCurves::pointsIn(const AxisRange& x) const {
    std::vector<QPointF> points;
    for (std::size_t at = 0; at < m_curves.size(); ++at) {
        if (isHidden(m_curves[at])) continue;
        const auto [first, end] = drawnRange(m_curves[at], x);
        const bool crosses = end - first == 2 && m_curves[at].points[first].x < x.minimum &&
                             m_curves[at].points[first + 1].x > x.maximum;
        for (std::size_t index = first; index < end; ++index) {
            const CurvePoint& point = m_curves[at].points[index];
            if (!crosses && (point.x < x.minimum || point.x > x.maximum)) continue;
            if (m_curves[at].kind == Curve::Kind::Stack) {
                points.emplace_back(point.x, toY(point.maximum));
                continue;
            }
            points.emplace_back(point.x, toY(point.y));
            points.emplace_back(point.x, toY(m_smoothed[at][index]));
        }
    }
    return points;
}

AxisRange ShownCurves::markerYRange(const AxisRange& x, const AxisRange& y) const {
    AxisRange markers;
    for (const Curve& curve : m_curves) {
        if (curve.kind != Curve::Kind::MarkedLine || isHidden(curve)) continue;
        for (const CurvePoint& point : curve.points) {
            const double atY = toY(point.y);
            const bool isShown = point.x >= x.minimum && point.x <= x.maximum;
            if (isShown && atY >= y.minimum && atY <= y.maximum) markers.include(atY);
        }
    }
    return markers;
}

const Curve* ShownCurves::nearest(const PlotScale& scale, const QPointF& position, double most) const {
    const double x = scale.xAt(position.x());
    const auto distance = [&](double value) { return std::abs(scale.rowOf(toY(value)) - position.y()); };
    const Curve* nearest = nullptr;
    double least = most;
    for (std::size_t curve = 0; curve < m_curves.size(); ++curve) {
        if (isHidden(m_curves[curve])) continue;
        const auto [first, end] = drawnRange(m_curves[curve], {x, x});
        for (std::size_t i = first; i < end; ++i) {
            const double own = std::min(distance(m_curves[curve].points[i].y), distance(m_smoothed[curve][i]));
            if (!(own <= least)) continue;
            least = own;
            nearest = &m_curves[curve];
        }
    }
    return nearest;
}

QList<QStringList> ShownCurves::tableRows(const AxisRange& x) const {
    const auto text = [](double value) { return std::isfinite(value) ? QString::number(value, 'g', 9) : QString(); };
    QList<QStringList> rows;
    for (std::size_t at = 0; at < m_curves.size(); ++at) {
        const Curve& curve = m_curves[at];
        if (isHidden(curve)) continue;
        const bool hasBand = curve.kind == Curve::Kind::BandLine;
        const bool isSmoothed = curve.kind != Curve::Kind::MarkedLine && m_smoothing > 0;
        for (std::size_t index = 0; index < curve.points.size(); ++index) {
            const CurvePoint& point = curve.points[index];
            if (point.x < x.minimum || point.x > x.maximum) continue;
            rows << QStringList{curve.name,
                                QString::number(point.x, 'g', 15),
                                text(point.y),
                                hasBand ? text(point.minimum) : QString(),
                                hasBand ? text(point.maximum) : QString(),
                                isSmoothed ? text(m_smoothed[at][index]) : QString()};
        }
    }
    return rows;
}

}  // namespace ringside
