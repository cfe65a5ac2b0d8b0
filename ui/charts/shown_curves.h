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

// Curves of a chart together with the user's choices for them: hidden curves, smoothing, and a linear or logarithmic y
// axis.
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
    // Returns the smoothed values of the curve with this index, or its unchanged values if the curve is not smoothed.
    const SmoothedCurve& smoothed(std::size_t curve) const { return m_smoothed[curve]; }

    // Converts a value to units of the y axis: the value itself or, on a logarithmic axis, its log10. Returns NaN for a
    // value without a logarithm.
    double toY(double value) const;
    // Returns the points of the visible curves within the range x, with y in units of the y axis: values and smoothed
    // values or, for stacked areas, the upper edge. The points of each curve are in ascending order of x. If a curve
    // crosses the range without a point in it, returns its next point on each side.
    std::vector<QPointF> pointsIn(const AxisRange& x) const;
    // Returns the y range of the markers (points of visible marked lines) that are within the ranges x and y, in units
    // of the y axis; empty if there are no such markers.
    AxisRange markerYRange(const AxisRange& x, const AxisRange& y) const;
    // Returns the visible curve whose values or smoothed values are nearest to a position of the plot, at most `most`
    // pixels above or below it; null if there is none.
    const Curve* nearest(const PlotScale& scale, const QPointF& position, double most) const;
    // Returns one table row for each point of the visible curves within the range x: name, x, y, minimum, maximum,
    // smoothed value. A cell is empty if the curve does not have this value.
    QList<QStringList> tableRows(const AxisRange& x) const;

  private:
    void smooth();

    std::vector<Curve> m_curves;
    std::vector<SmoothedCurve> m_smoothed;
    std::set<QString> m_hidden;
    double m_smoothing = 0;
    bool m_logarithmic = false;
};

// Returns the indices [first, end) of the points that a plot of the range x draws: the points within the range, and the
// next point on each side.
std::pair<std::size_t, std::size_t> drawnRange(const Curve& curve, const AxisRange& x);

}  // namespace ringside
