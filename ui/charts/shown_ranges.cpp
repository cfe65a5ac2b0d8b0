// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/shown_ranges.h"

#include <algorithm>
#include <vector>

namespace ringside {
namespace {

// minimum free width at the right edge of the plot, as a share of the plot's width
constexpr double kRoomAtEdge = 0.012;
constexpr double kMarkerEdge = 6;  // minimum distance of a marker's centre from the edges of the plot, in pixels

// Returns the y range `range`, extended if necessary so that markers with y in `markers` are completely visible in a
// plot that is `pixels` high.
AxisRange withMarkerRoom(const AxisRange& range, const AxisRange& markers, double pixels) {
    if (markers.empty() || pixels < 4 * kMarkerEdge) return range;
    const double room = range.width() * kMarkerEdge / (pixels - 2 * kMarkerEdge);
    return {std::min(range.minimum, markers.minimum - room), std::max(range.maximum, markers.maximum + room)};
}

AxisRange valuesIn(const ShownCurves& curves, const AxisRange& x, const YAxisOptions& options) {
    std::vector<QPointF> points = curves.pointsIn(x);
    AxisRange values;
    if (options.ignoresOutliers && !curves.isLogarithmic()) {
        std::ranges::stable_sort(points, {}, &QPointF::x);
        values = rangeWithoutOutliers(points);
    } else {
        for (const QPointF& point : points) values.include(point.y());
    }
    if (options.startsAtZero && !values.empty()) values.include(0);
    return values;
}

AxisRange logarithmicRange(const AxisRange& values) {
    if (values.empty()) return {-1, 0};
    const double margin = std::max(0.05, values.width() * 0.05);
    return {values.minimum - margin, values.maximum + margin};
}

AxisRange linearRange(const AxisRange& values, NumberStyle style, int ticks) {
    AxisRange nice = niceRange(values, ticks);
    if (style == NumberStyle::Percent) nice.maximum = std::min(nice.maximum, 1.0);
    return nice;
}

}  // namespace

AxisRange yRangeOf(const ShownCurves& curves, const AxisRange& x, const YAxisOptions& options, double height,
                   int ticks) {
    const AxisRange values = valuesIn(curves, x, options);
    const AxisRange range =
        curves.isLogarithmic() ? logarithmicRange(values) : linearRange(values, options.style, ticks);
    return withMarkerRoom(range, curves.markerYRange(x, range), height);
}

AxisRange xRangeOf(const AxisRange& whole, bool startsAtZero, double width) {
    AxisRange range = whole.empty() ? AxisRange{0, 1} : whole;
    if (startsAtZero) range.minimum = std::min(range.minimum, 0.0);
    const double share = std::max(kRoomAtEdge, kMarkerEdge / std::max(2 * kMarkerEdge, width - kMarkerEdge));
    return {range.minimum, range.maximum + (range.width() > 0 ? range.width() * share : 1)};
}

}  // namespace ringside
