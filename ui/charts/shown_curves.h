// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "charts/axis_range.h"
#include "charts/curve.h"
#include "charts/plot_scale.h"
#include "charts/smoothed_curve.h"

namespace ringside {

// Curves of a chart, with the user's choices of how to see them: hidden curves, smoothing, and a linear or logarithmic
// y axis.
class ShownCurves {
  public:
    void setCurves(std::vector<Curve> curves);
    void setHidden(const std::set<QString>& keys) { m_hidden = keys; }
    // weight: weight of the exponential moving average, from 0 (no smoothing) to below 1.
    void setSmoothing(double weight);
    void setLogarithmic(bool on) { m_logarithmic = on; }

    const std::vector<Curve>& curves() const { return m_curves; }
    bool isHidden(const Curve& curve) const { return m_hidden.contains(curve.key); }
    double smoothing() const { return m_smoothing; }
    bool isLogarithmic() const { return m_logarithmic; }
    // Returns the smoothed values of the curve with this index. They equal the values of the curve if it is not
    // smoothed.
    const SmoothedCurve& smoothed(std::size_t curve) const { return m_smoothed[curve]; }

    // Returns a value in units of the y axis. On a logarithmic axis, returns NaN for a value without a logarithm.
    double toY(double value) const;
    // Returns the values and smoothed values of the visible curves within x, or the upper edges of stacked areas: one
    // curve after the other, each from left to right. For a curve that crosses the range without a point in it, returns
    // the neighbours on both sides. The y coordinates are in units of the y axis.
    std::vector<QPointF> pointsIn(const AxisRange& x) const;
    // Returns the y range, in units of the y axis, of the markers (points of visible marked lines) that lie within x
    // and y; empty if there is none.
    AxisRange markerYRange(const AxisRange& x, const AxisRange& y) const;
    // Returns the visible curve whose values or smoothed values are nearest to a position of the plot, at most `most`
    // pixels above or below it; null if there is none.
    const Curve* nearest(const PlotScale& scale, const QPointF& position, double most) const;
    // Returns the points of the visible curves within x: name, x, y, minimum, maximum, smoothed value. A cell is empty
    // if the curve has no such value.
    QList<QStringList> tableRows(const AxisRange& x) const;

  private:
    void smooth();

    std::vector<Curve> m_curves;
    std::vector<SmoothedCurve> m_smoothed;
    std::set<QString> m_hidden;
    double m_smoothing = 0;
    bool m_logarithmic = false;
};

// Returns the indices [first, end) of the points of a curve that are drawn in a plot of the range x: the points within
// x and one neighbour on each side.
std::pair<std::size_t, std::size_t> drawnRange(const Curve& curve, const AxisRange& x);

}  // namespace ringside
