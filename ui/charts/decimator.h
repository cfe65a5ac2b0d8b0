// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>
#include <span>

namespace ringside {

// Visible x range of a plot, and the number of pixel columns in which the plot shows this range.
struct PixelColumns {
    double minimum = 0;  // value of x at the left edge
    double maximum = 1;  // value of x at the right edge
    int count = 1;
};

// Returns at most two points per pixel column, the lowest and the highest in their original order, which preserves all
// peaks. Omits points outside the visible range, except the next point on each side, to which the line continues. Omits
// points whose y is not finite. x must not decrease.
QList<QPointF> decimated(std::span<const QPointF> points, const PixelColumns& columns);

enum class Edge { Lower, Upper };

// Returns the lower or upper edge of a band: one point per pixel column, with the lowest or highest y of the points in
// the column.
QList<QPointF> decimatedEdge(std::span<const QPointF> points, const PixelColumns& columns, Edge edge);

}  // namespace ringside
