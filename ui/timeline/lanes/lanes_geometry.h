// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <algorithm>
#include <vector>

#include "theme/type_length.h"

namespace ringside {

// Positions of lanes and times in a widget.
struct LanesGeometry {
    static constexpr TypeLength kNames{104};  // width of the names at the left of the lanes
    // width in pixels of the mark beside the name of a rank; the mark has the colour of the current phase
    static constexpr int kPhaseMark = 6;
    static constexpr TypeLength kAxis{26};  // height of the time axis below the lanes
    static constexpr double kRight = 14;
    static constexpr double kLargestBar = 46, kLargestPitch = 98;

    QRectF area;             // area of the lanes, without names and axis
    std::vector<int> ranks;  // ranks of the lanes, from top to bottom
    // position of the left edge in nanoseconds, on the time axis with shortened gaps (LaneClock)
    double left = 0;
    double span = 1;

    LanesGeometry(QSizeF size, std::vector<int> shown, double from, double length)
        : area(kNames, 0, std::max(1.0, size.width() - kNames - kRight), std::max(1.0, size.height() - kAxis)),
          ranks(std::move(shown)),
          left(from),
          span(length) {}

    double pitch() const {
        return ranks.empty() ? area.height()
                             : std::min(kLargestPitch, area.height() / static_cast<double>(ranks.size()));
    }
    QRectF row(std::size_t index) const {
        return {area.left(), area.top() + static_cast<double>(index) * pitch(), area.width(), pitch()};
    }
    // Returns the rectangle of the bar of a lane. The lane has room below the bar for the marks of the buckets.
    QRectF bar(std::size_t index) const {
        const QRectF whole = row(index);
        const double height = std::min(kLargestBar, pitch() * 0.56);
        return {whole.left(), whole.top() + (pitch() - height) * 0.42, whole.width(), height};
    }
    double lowest() const { return area.top() + pitch() * static_cast<double>(ranks.size()); }
    double pixelsPerNs() const { return area.width() / span; }
    double xOf(double shown) const { return area.left() + (shown - left) * pixelsPerNs(); }
    double shownAt(double x) const { return left + (x - area.left()) / pixelsPerNs(); }
    // Returns the lane of a rank, or -1 if it has none.
    int indexOf(int rank) const {
        const auto found = std::find(ranks.begin(), ranks.end(), rank);
        return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
    }
};

}  // namespace ringside
