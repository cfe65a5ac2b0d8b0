// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>

#include "data/sets/common/dataset.h"

namespace ringside {

// Colours of the lowest and the highest value of a grey picture: the theme's colours of text and panel.
struct PictureColors {
    QColor paper = Qt::white;
    QColor ink = Qt::black;
    bool operator==(const PictureColors&) const = default;
};

// Returns a picture of a sample whose sides are at most maxSide pixels long. If the sample's file cannot be read, the
// picture is crossed out. Callable from any thread.
QImage sampleImage(const Dataset& data, std::int64_t sample, const PictureColors& colors, int maxSide);

}  // namespace ringside
