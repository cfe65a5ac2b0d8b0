// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QString>
#include <cstdint>
#include <span>

#include "theme/theme.h"

namespace ringside {

// Returns the height of the two rows of the legend, in pixels.
double memoryLegendHeight();

// Paints the names of the classes of memory with at least one byte, in as many rows as needed, and `words` in the rest
// of the last row, shortened if necessary. `room`: area of the legend, with the height memoryLegendHeight().
void paintMemoryLegend(QPainter& painter, const QRectF& room, std::span<const std::int64_t> bytes, const QString& words,
                       const Theme& theme);

}  // namespace ringside
