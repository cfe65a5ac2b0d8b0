// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/map/map_geometry.h"

#include <algorithm>
#include <cmath>

namespace ringside {

MapGeometry MapGeometry::fitted(qint64 samples, QSize area) {
    MapGeometry map;
    map.samples = samples;
    const int width = std::max(1, area.width());
    const int height = std::max(1, area.height());
    const auto fits = [&](int side) { return qint64{width / side} * (height / side) >= samples; };
    map.side = std::min(kLargestSide, std::max(width, height));
    while (map.side > 1 && !fits(map.side)) --map.side;
    const qint64 squares = qint64{width / map.side} * (height / map.side);
    map.columns = std::max(1, width / map.side);
    map.perSquare = std::max<qint64>(1, (samples + squares - 1) / std::max<qint64>(1, squares));
    const qint64 used = (samples + map.perSquare - 1) / map.perSquare;
    map.rows = static_cast<int>((used + map.columns - 1) / map.columns);
    return map;
}

QRectF MapGeometry::rect(qint64 sample) const {
    const qint64 at = square(sample);
    const qint64 row = at / columns;
    return QRectF(static_cast<double>(at % columns * side), static_cast<double>(row * side), side, side);
}

std::optional<qint64> MapGeometry::sampleAt(QPointF point) const {
    const auto column = static_cast<qint64>(std::floor(point.x() / side));
    const auto row = static_cast<qint64>(std::floor(point.y() / side));
    if (column < 0 || column >= columns || row < 0 || row >= rows) return {};
    const qint64 sample = (row * columns + column) * perSquare;
    return sample < samples ? std::optional(sample) : std::nullopt;
}

}  // namespace ringside
