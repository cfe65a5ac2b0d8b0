// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QSize>
#include <optional>

namespace ringside {

// A fixed place for every sample of a data set: row by row, in squares as large as they fit, or several samples to a
// pixel when there are more samples than pixels.
struct MapGeometry {
    static constexpr int kLargestSide = 72;

    qint64 samples = 0;
    int columns = 1;
    int rows = 0;
    int side = 1;          // pixels of a square
    qint64 perSquare = 1;  // samples that share one

    static MapGeometry fitted(qint64 samples, QSize area);

    qint64 square(qint64 sample) const { return sample / perSquare; }
    QRectF rect(qint64 sample) const;
    std::optional<qint64> sampleAt(QPointF point) const;  // the first of those that share the square
    bool operator==(const MapGeometry&) const = default;
};

}  // namespace ringside
