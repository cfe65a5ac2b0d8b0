// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/axis_range.h"

#include <algorithm>
#include <cmath>

#include "charts/axis_ticks.h"

namespace ringside {
namespace {

// An axis starts at zero if its smallest value is positive and less than this share of its largest value.
constexpr double kNearZero = 0.35;
// minimum width of the visible range after zooming in, as a share of the whole range
constexpr double kDeepestZoom = 1.0 / 5000;

}  // namespace

void AxisRange::include(double value) {
    if (std::isfinite(value)) {
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
    }
}

AxisRange niceRange(AxisRange values, int ticks) {
    if (values.empty()) {
        return {0, 1};
    }
    if (values.minimum > 0 && values.minimum < kNearZero * values.maximum) {
        values.minimum = 0;
    }
    if (values.width() <= 0) {
        const double around = std::max(std::abs(values.minimum) * 0.1, 1e-9);
        values = {values.minimum - around, values.maximum + around};
    }
    const double step = roundStep(values.width(), ticks);
    return {std::floor(values.minimum / step + 1e-9) * step, std::ceil(values.maximum / step - 1e-9) * step};
}

AxisRange rangeWithoutOutliers(std::span<const QPointF> points) {
    constexpr std::size_t kEnough = 20;
    // share of the x range, from its start, in which values may be excluded as outliers
    constexpr double kBeginning = 0.1;
    // Values at the beginning are outliers if they exceed the largest later value by more than this number times the
    // range of the later values.
    constexpr double kFar = 2;
    AxisRange whole, later;
    if (points.empty()) return whole;
    const double until = points.front().x() + kBeginning * (points.back().x() - points.front().x());
    for (const QPointF& point : points) {
        whole.include(point.y());
        if (point.x() > until) later.include(point.y());
    }
    if (points.size() < kEnough || later.empty() || later.width() <= 0) return whole;
    if (whole.maximum <= later.maximum + kFar * later.width()) return whole;
    // The range extends above the later values, because a part of the initial descent should stay visible.
    return {whole.minimum, later.maximum + kFar / 4 * later.width()};
}

AxisRange zoomed(AxisRange shown, AxisRange whole, double anchor, double factor) {
    const double width = std::clamp(shown.width() / factor, whole.width() * kDeepestZoom, whole.width());
    const double share = shown.width() > 0 ? (anchor - shown.minimum) / shown.width() : 0.5;
    const double left = std::clamp(anchor - share * width, whole.minimum, whole.maximum - width);
    return {left, left + width};
}

}  // namespace ringside
