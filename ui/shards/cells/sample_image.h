// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>

#include "data/sets/common/dataset.h"

namespace ringside {

// Grey pictures are drawn with ink on paper, the theme's text and panel: dark on light or light on dark.
struct PictureColors {
    QColor paper = Qt::white;
    QColor ink = Qt::black;
    bool operator==(const PictureColors&) const = default;
};

// A sample of a set of images, no side longer than mostSide; crossed out where its file cannot be read. Any thread.
QImage sampleImage(const Dataset& data, std::int64_t sample, const PictureColors& colors, int mostSide);

}  // namespace ringside
