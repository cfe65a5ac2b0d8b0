// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QSize>
#include <optional>

namespace ringside {

// Fixed position for every sample of a data set: row by row in squares as large as possible, or several samples per
// pixel if there are more samples than pixels.
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
