// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_series.h"

#include <QAbstractAxis>
#include <QAreaSeries>
#include <QChart>
#include <QLineSeries>
#include <QPen>
#include <QScatterSeries>
#include <algorithm>
#include <span>

#include "charts/decimator.h"

namespace ringside {
namespace {

constexpr double kRawOpacity = 0.30;
constexpr double kBandOpacity = 0.13;
constexpr double kStackOpacity = 1;
constexpr double kLineWidth = 2;
constexpr double kMarkerSize = 8;
constexpr double kDotSize = 5;
constexpr qsizetype kMaxDots = 40;
constexpr double kMarkerRoom = 10;  // minimum distance of markers in pixels; denser markers are not drawn

QColor faded(QColor color, double opacity) {
    color.setAlphaF(static_cast<float>(opacity));
    return color;
}

// Sets the colours of the Qt series that draw a curve, and shows or hides them.
void restyle(const CurveSeries& drawn, const Curve& curve, const ShownCurves& curves, const QColor& markerFill) {
    const bool isShown = !curves.isHidden(curve);
    if (drawn.raw != nullptr) {
        drawn.raw->setPen(QPen(faded(curve.color, kRawOpacity), 1));
        drawn.raw->setVisible(isShown && curves.smoothing() > 0);
    }
    if (drawn.band != nullptr) {
        drawn.band->setPen(Qt::NoPen);
        drawn.band->setBrush(faded(curve.color, curve.kind == Curve::Kind::Stack ? kStackOpacity : kBandOpacity));
        drawn.band->setVisible(isShown);
    }
    if (drawn.line == nullptr) return;
    drawn.line->setPen(QPen(curve.color, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    drawn.line->setVisible(isShown);
    const bool isMarked = curve.kind == Curve::Kind::MarkedLine;
    drawn.markers->setMarkerSize(isMarked ? kMarkerSize : kDotSize);
    drawn.markers->setColor(isMarked ? markerFill : curve.color);
    drawn.markers->setPen(isMarked ? QPen(curve.color, kLineWidth) : QPen(Qt::NoPen));
    drawn.markers->setVisible(isShown);
}

// Replaces the points of the Qt series that draw a curve.
void fill(const CurveSeries& drawn, const Curve& curve, const SmoothedCurve& smooth, const ShownCurves& curves,
          const PixelColumns& columns) {
    const auto [first, end] = drawnRange(curve, {columns.minimum, columns.maximum});
    std::vector<QPointF> points(end - first);
    const auto gather = [&](auto valueAt) -> std::span<const QPointF> {
        for (std::size_t at = first; at < end; ++at) points[at - first] = {curve.points[at].x, curves.toY(valueAt(at))};
        return points;
    };
    if (drawn.band != nullptr) {
        drawn.band->lowerSeries()->replace(
            decimatedEdge(gather([&](std::size_t at) { return curve.points[at].minimum; }), columns, Edge::Lower));
        drawn.band->upperSeries()->replace(
            decimatedEdge(gather([&](std::size_t at) { return curve.points[at].maximum; }), columns, Edge::Upper));
    }
    if (drawn.line == nullptr) return;
    if (drawn.raw != nullptr && curves.smoothing() > 0) {
        drawn.raw->replace(decimated(gather([&](std::size_t at) { return curve.points[at].y; }), columns));
    }
    const QList<QPointF> line = decimated(gather([&](std::size_t at) { return smooth[at]; }), columns);
    drawn.line->replace(line);
    // Draws markers only if there are kMarkerRoom (10) pixels for each marker, because dense markers would hide the
    // line. A curve that is not of the kind MarkedLine has markers only if it has at most kMaxDots (40) points.
    const bool isSparse = curve.kind == Curve::Kind::MarkedLine || line.size() <= kMaxDots;
    const bool hasRoom = static_cast<double>(line.size()) * kMarkerRoom <= columns.count;
    drawn.markers->replace(isSparse && hasRoom ? line : QList<QPointF>());
}

}  // namespace

ChartSeries::ChartSeries(QChart& chart, QAbstractAxis& xAxis, QAbstractAxis& yAxis)
    : m_chart(chart), m_xAxis(xAxis), m_yAxis(yAxis) {}

void ChartSeries::draw(const ShownCurves& curves, const AxisRange& x, int columns, const QColor& markerFill) {
    matchSeries(curves.curves());
    for (std::size_t at = 0; at < curves.curves().size(); ++at) {
        const Curve& curve = curves.curves()[at];
        restyle(m_drawn[at], curve, curves, markerFill);
        if (curves.isHidden(curve)) continue;
        fill(m_drawn[at], curve, curves.smoothed(at), curves, PixelColumns{x.minimum, x.maximum, columns});
    }
}

int ChartSeries::largestPointCount() const {
    int largest = 0;
    for (const QAbstractSeries* series : m_chart.series()) {
        if (const auto* points = qobject_cast<const QXYSeries*>(series)) {
            largest = std::max(largest, static_cast<int>(points->count()));
        } else if (const auto* area = qobject_cast<const QAreaSeries*>(series)) {
            largest = std::max({largest, static_cast<int>(area->upperSeries()->count()),
                                static_cast<int>(area->lowerSeries()->count())});
        }
    }
    return largest;
}

void ChartSeries::matchSeries(const std::vector<Curve>& curves) {
    if (std::ranges::equal(m_drawn, curves, {}, &CurveSeries::kind, &Curve::kind)) return;
    m_chart.removeAllSeries();
    m_drawn.clear();
    for (const Curve& curve : curves) m_drawn.push_back(addSeries(curve.kind));
}

CurveSeries ChartSeries::addSeries(Curve::Kind kind) {
    CurveSeries drawn{kind};
    const bool isStack = kind == Curve::Kind::Stack;
    if (kind == Curve::Kind::BandLine || isStack) {
        drawn.band = new QAreaSeries(new QLineSeries, new QLineSeries);
        drawn.band->upperSeries()->setParent(drawn.band);
        drawn.band->lowerSeries()->setParent(drawn.band);
        attach(drawn.band);
    }
    if (isStack) return drawn;
    if (kind != Curve::Kind::MarkedLine) attach(drawn.raw = new QLineSeries);
    attach(drawn.line = new QLineSeries);
    attach(drawn.markers = new QScatterSeries);
    return drawn;
}

void ChartSeries::attach(QAbstractSeries* series) {
    m_chart.addSeries(series);
    series->attachAxis(&m_xAxis);
    series->attachAxis(&m_yAxis);
}

}  // namespace ringside
