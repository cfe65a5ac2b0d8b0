// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>
#include <span>

namespace ringside {

// Range of x that a plot shows, and its width in pixel columns.
struct PixelColumns {
    double minimum = 0;  // value of x at the left edge
    double maximum = 1;  // value of x at the right edge
    int count = 1;
};

// Returns at most two points per pixel column, the lowest and the highest in their original order, so that no peak is
// lost. Points outside the columns are left out except one neighbour on each side, so that the line continues to the
// edge. Points whose y is not finite are skipped. x must not decrease.
QList<QPointF> decimated(std::span<const QPointF> points, const PixelColumns& columns);

enum class Edge { Lower, Upper };

// Returns one edge of a band: one point per pixel column, at its lowest or highest y.
QList<QPointF> decimatedEdge(std::span<const QPointF> points, const PixelColumns& columns, Edge edge);

}  // namespace ringside
