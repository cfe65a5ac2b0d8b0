// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/axis_range.h"
#include "charts/axis_ticks.h"
#include "charts/shown_curves.h"

namespace ringside {

// Options of a chart's y axis.
struct YAxisOptions {
    NumberStyle style = NumberStyle::Plain;
    // true: the y range excludes values at the beginning that are far above all later values; linear axes only
    bool ignoresOutliers = false;
    bool startsAtZero = false;
};

// Returns the y range for the visible curves within x, in units of the y axis. No marker of a marked line is cut at the
// edges of a plot with this height in pixels. `ticks` is the number of ticks that fit.
AxisRange yRangeOf(const ShownCurves& curves, const AxisRange& x, const YAxisOptions& options, double height,
                   int ticks);

// Returns the x range `whole`, extended to the right so that the last marker is completely visible in a plot with this
// width in pixels. startsAtZero: true if the x range must include zero. If `whole` is empty, returns the range from 0
// to 1.
AxisRange xRangeOf(const AxisRange& whole, bool startsAtZero, double width);

}  // namespace ringside
