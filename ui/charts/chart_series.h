// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <cstddef>
#include <vector>

#include "charts/axis_range.h"
#include "charts/curve.h"
#include "charts/shown_curves.h"

QT_BEGIN_NAMESPACE
class QAbstractAxis;
class QAbstractSeries;
class QAreaSeries;
class QChart;
class QLineSeries;
class QScatterSeries;
QT_END_NAMESPACE

namespace ringside {

// Series of Qt Charts that draw one curve. A series that the kind of the curve does not need is null.
struct CurveSeries {
    Curve::Kind kind;
    QLineSeries* line = nullptr;  // smoothed values
    QLineSeries* raw = nullptr;   // values before smoothing, drawn faded behind the smoothed line
    QAreaSeries* band = nullptr;  // area from minimum to maximum
    QScatterSeries* markers = nullptr;
};

// Series of Qt Charts that draw the curves of a chart, with at most two points per pixel column.
class ChartSeries {
  public:
    // The chart and its axes must outlive this object.
    ChartSeries(QChart& chart, QAbstractAxis& xAxis, QAbstractAxis& yAxis);

    // Draws the part of the curves within x. columns: width of the plot in pixels. markerFill: colour inside the
    // markers of curves of the kind MarkedLine.
    void draw(const ShownCurves& curves, const AxisRange& x, int columns, const QColor& markerFill);
    // Returns the largest number of points of any series, for tests of the limit per pixel column.
    int largestPointCount() const;

  private:
    void matchSeries(const std::vector<Curve>& curves);
    CurveSeries addSeries(Curve::Kind kind);
    void attach(QAbstractSeries* series);

    QChart& m_chart;
    QAbstractAxis& m_xAxis;
    QAbstractAxis& m_yAxis;
    std::vector<CurveSeries> m_drawn;
};

}  // namespace ringside
