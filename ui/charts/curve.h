// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include "charts/axis_range.h"

namespace ringside {

struct CurvePoint {
    double x = 0;
    double y = 0;
    double minimum = 0;  // of the band; ignored without one
    double maximum = 0;
    bool operator==(const CurvePoint&) const = default;
};

// One line of a chart. x does not decrease; y may be NaN where nothing was measured.
struct Curve {
    enum class Kind {
        Line,       // smoothed, with the raw line faded behind it
        BandLine,   // the same over a band from minimum to maximum
        MarkedLine  // few points, each with a marker, never smoothed
    };

    QString name;
    QColor color;
    Kind kind = Kind::Line;
    std::vector<CurvePoint> points;
};

// From the first x of all curves to the last; empty without points.
AxisRange wholeRange(const std::vector<Curve>& curves);

// The last point at or before x, or null.
const CurvePoint* pointAt(const Curve& curve, double x);

}  // namespace ringside
