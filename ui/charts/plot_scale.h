// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include "charts/axis_range.h"

namespace ringside {

// Conversion between values and pixels in a chart: rectangle of the plot in pixels, and the visible ranges of its axes.
// On a logarithmic y axis, y is the decimal logarithm of the value. Neither range may have zero width.
struct PlotScale {
    QRectF plot;
    AxisRange x;
    AxisRange y;

    double xAt(double column) const { return x.minimum + (column - plot.left()) / plot.width() * x.width(); }
    double columnOf(double atX) const { return plot.left() + (atX - x.minimum) / x.width() * plot.width(); }
    double yAt(double row) const { return y.maximum - (row - plot.top()) / plot.height() * y.width(); }
    double rowOf(double atY) const { return plot.bottom() - (atY - y.minimum) / y.width() * plot.height(); }
};

}  // namespace ringside
