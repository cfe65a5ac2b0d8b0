// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>

#include "data/sets/common/dataset.h"

namespace ringside {

// Colours in which grey pictures are drawn: the theme's text and panel, so dark on light or light on dark.
struct PictureColors {
    QColor paper = Qt::white;
    QColor ink = Qt::black;
    bool operator==(const PictureColors&) const = default;
};

// Returns a sample of an image data set with no side longer than maxSide; crossed out if its file cannot be read.
// Callable from any thread.
QImage sampleImage(const Dataset& data, std::int64_t sample, const PictureColors& colors, int maxSide);

}  // namespace ringside
