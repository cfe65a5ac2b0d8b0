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
    // Returns the smoothed values of the curve with this index. They equal its values if the curve is not smoothed.
    const SmoothedCurve& smoothed(std::size_t curve) const { return m_smoothed[curve]; }

    // Returns a value in units of the y axis. NaN for a value without a logarithm on a logarithmic axis.
    double toY(double value) const;
    // Returns the values and smoothed values of the visible curves within x, one curve after the other, each from left
    // to right. A curve that crosses x without a point in it counts with its neighbours on both sides. The y
    // coordinates are in units of the y axis, as in the two functions below.
    std::vector<QPointF> pointsIn(const AxisRange& x) const;
    // Returns the range of the y coordinates of the markers (points of visible marked lines) that lie within x and y;
    // empty if there is none.
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

// Returns the points of a curve that a plot of x draws, as indices [first, end): the points within x and a neighbour on
// each side.
std::pair<std::size_t, std::size_t> drawnRange(const Curve& curve, const AxisRange& x);

}  // namespace ringside
