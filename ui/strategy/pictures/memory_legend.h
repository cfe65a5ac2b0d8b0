// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QString>
#include <cstdint>
#include <span>

#include "theme/theme.h"

namespace ringside {

// Height of the legend's two rows, in pixels.
double memoryLegendHeight();

// Paints the names of the classes of memory of which there is any, in as many rows as they need, and the text `words`
// at the right of the last row if there is room. `room` is memoryLegendHeight() high.
void paintMemoryLegend(QPainter& painter, const QRectF& room, std::span<const std::int64_t> bytes, const QString& words,
                       const Theme& theme);

}  // namespace ringside
