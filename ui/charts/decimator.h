// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>
#include <span>

namespace ringside {

// The pixel columns a curve is drawn into.
struct PixelColumns {
    double minimum = 0;  // x at the left edge
    double maximum = 1;  // x at the right edge
    int count = 1;
};

// At most two points per pixel column: the lowest and the highest, in the order they occur, so that no peak is lost.
// Points outside the columns are left out but for one neighbour on each side, which keeps the line running off the
// edge. Points whose y is not finite are skipped. x must not decrease.
QList<QPointF> decimated(std::span<const QPointF> points, const PixelColumns& columns);

enum class Edge { Lower, Upper };

// One side of a band: per pixel column one point at its lowest or highest y.
QList<QPointF> decimatedEdge(std::span<const QPointF> points, const PixelColumns& columns, Edge edge);

}  // namespace ringside
