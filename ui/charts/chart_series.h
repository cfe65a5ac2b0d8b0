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

// Objects of Qt Charts (series) that draw one curve. Null: the kind of the curve does not need this series.
struct CurveSeries {
    Curve::Kind kind;
    QLineSeries* line = nullptr;  // smoothed values
    QLineSeries* raw = nullptr;   // values before smoothing, drawn faded behind the smoothed line
    QAreaSeries* band = nullptr;  // area from minimum to maximum
    QScatterSeries* markers = nullptr;
};

// Draws the curves of a chart with Qt Charts. Reduces each curve to at most two points per pixel column.
class ChartSeries {
  public:
    // The chart and its axes must outlive this object.
    ChartSeries(QChart& chart, QAbstractAxis& xAxis, QAbstractAxis& yAxis);

    // Draws the part of the curves within x. columns: width of the plot in pixels. markerFill: colour inside the
    // markers of curves of the kind MarkedLine.
    void draw(const ShownCurves& curves, const AxisRange& x, int columns, const QColor& markerFill);
    // Returns the number of points of the series that has the most points. Used by tests of the limit of two points per
    // pixel column.
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
