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
    void include(double value);  // values that are not finite are passed over
    bool operator==(const AxisRange&) const = default;
};

// The range an axis shows for values in `values`: widened to whole ticks, never of no width, from zero when the
// smallest value is near it.
AxisRange niceRange(AxisRange values, int ticks);

// The range of the y, but for outliers: values far above all that come later, in the first tenth of x. x increases. The
// same as the whole range where there are too few points to tell.
AxisRange rangeWithoutOutliers(std::span<const QPointF> points);

// The part of the whole that lies around `anchor` after zooming by factor (> 1 = in), kept inside the whole.
AxisRange zoomed(AxisRange shown, AxisRange whole, double anchor, double factor);

}  // namespace ringside
