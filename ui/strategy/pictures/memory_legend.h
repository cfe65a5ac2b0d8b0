// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QString>
#include <cstdint>
#include <span>

#include "theme/theme.h"

namespace ringside {

// Returns the height of the legend, which has room for two rows, in pixels.
double memoryLegendHeight();

// Paints the names and colours of the memory classes that have at least one byte, and then the text `words`, which is
// shortened if there is too little room. `room`: area of the legend, with the height memoryLegendHeight().
void paintMemoryLegend(QPainter& painter, const QRectF& room, std::span<const std::int64_t> bytes, const QString& words,
                       const Theme& theme);

}  // namespace ringside
