// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QSize>
#include <optional>

namespace ringside {

// Layout of the map, in which each sample of a data set has a fixed position. Samples are squares in rows; the squares
// are as large as possible. If there are more samples than pixels, a square is one pixel and contains several samples.
struct MapGeometry {
    static constexpr int kLargestSide = 72;

    qint64 samples = 0;
    int columns = 1;
    int rows = 0;
    int side = 1;          // side of a square, in pixels
    qint64 perSquare = 1;  // number of samples that one square shows

    static MapGeometry fitted(qint64 samples, QSize area);

    qint64 square(qint64 sample) const { return sample / perSquare; }
    QRectF rect(qint64 sample) const;
    std::optional<qint64> sampleAt(QPointF point) const;  // returns the first sample of the square at the point
    bool operator==(const MapGeometry&) const = default;
};

}  // namespace ringside
