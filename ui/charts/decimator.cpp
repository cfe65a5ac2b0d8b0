// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/decimator.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ringside {
namespace {

struct Column {
    int number = -1;
    QPointF lowest, highest;
    bool lowestFirst = true;
};

// Returns the points within the visible x range, and the next point on each side of the range if there is one.
std::span<const QPointF> inSight(std::span<const QPointF> points, const PixelColumns& columns) {
    const auto byX = [](const QPointF& point, double x) { return point.x() < x; };
    auto first = std::lower_bound(points.begin(), points.end(), columns.minimum, byX);
    auto last = std::upper_bound(first, points.end(), columns.maximum,
                                 [](double x, const QPointF& point) { return x < point.x(); });
    if (first != points.begin()) --first;
    if (last != points.end()) ++last;
    return {first, last};
}

int columnOf(double x, const PixelColumns& columns) {
    const double width = columns.maximum - columns.minimum;
    const double column = width > 0 ? std::floor((x - columns.minimum) / width * columns.count) : 0;
    return static_cast<int>(std::clamp(column, -1.0, static_cast<double>(columns.count)));
}

// Calls `sink` for each pixel column that contains points, with the lowest and the highest point of the column.
template <class Sink>
void forEachColumn(std::span<const QPointF> points, const PixelColumns& columns, Sink sink) {
    std::optional<Column> open;
    for (const QPointF& point : inSight(points, columns)) {
        if (!std::isfinite(point.y())) {
            continue;
        }
        const int number =
            std::min(columnOf(point.x(), columns), std::max(0, columns.count - 1) + (point.x() > columns.maximum));
        if (!open || open->number != number) {
            if (open) sink(*open);
            open = Column{number, point, point, true};
        } else if (point.y() < open->lowest.y()) {
            open->lowest = point;
            open->lowestFirst = false;
        } else if (point.y() > open->highest.y()) {
            open->highest = point;
            open->lowestFirst = true;
        }
    }
    if (open) sink(*open);
}

}  // namespace

QList<QPointF> decimated(std::span<const QPointF> points, const PixelColumns& columns) {
    QList<QPointF> result;
    result.reserve(2 * columns.count + 4);
    forEachColumn(points, columns, [&](const Column& column) {
        result.append(column.lowestFirst ? column.lowest : column.highest);
        if (column.lowest != column.highest) {
            result.append(column.lowestFirst ? column.highest : column.lowest);
        }
    });
    return result;
}

QList<QPointF> decimatedEdge(std::span<const QPointF> points, const PixelColumns& columns, Edge edge) {
    QList<QPointF> result;
    result.reserve(columns.count + 2);
    forEachColumn(points, columns,
                  [&](const Column& column) { result.append(edge == Edge::Lower ? column.lowest : column.highest); });
    return result;
}

}  // namespace ringside
