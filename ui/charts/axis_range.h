// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <limits>
#include <span>

namespace ringside {

struct AxisRange {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();

    bool empty() const { return !(minimum <= maximum); }
    double width() const { return maximum - minimum; }
    void include(double value);  // extends the range so that it contains the value; ignores values that are not finite
    bool operator==(const AxisRange&) const = default;
};

// Returns the range of an axis that contains `values`, with about `ticks` ticks. The range starts and ends at a tick
// and never has zero width. If all values are positive and the smallest is far below the largest, the range starts at
// zero.
AxisRange niceRange(AxisRange values, int ticks);

// Returns the range of the points' y values without outliers. Outliers are values in the first tenth of the x range
// that are far above all later values. x must increase. With fewer than 20 points, returns the range of all y values.
AxisRange rangeWithoutOutliers(std::span<const QPointF> points);

// Returns the visible range after zooming. `shown` is the visible range before; a factor above 1 zooms in. `anchor`
// keeps its position on the screen unless the range would leave `whole`.
AxisRange zoomed(AxisRange shown, AxisRange whole, double anchor, double factor);

}  // namespace ringside
