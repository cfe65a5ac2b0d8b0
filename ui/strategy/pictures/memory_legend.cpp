// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/memory_legend.h"

#include "strategy/pictures/memory_canvas.h"
#include "theme/type_length.h"
#include "theme/work_colors.h"

namespace ringside {
namespace {

constexpr TypeLength kLegendRow{16};
constexpr double kSwatchSide = 9, kBehindMark = 4, kBetweenNames = 12;

}  // namespace

double memoryLegendHeight() {
    return 2 * kLegendRow;
}

void paintMemoryLegend(QPainter& painter, const QRectF& room, std::span<const std::int64_t> bytes, const QString& words,
                       const Theme& theme) {
    painter.setFont(theme.smallFont());
    const QFontMetricsF metrics(theme.smallFont());
    const QStringList names = MemoryCanvas::partNames();
    double x = room.left(), y = room.top();
    for (int i = 0; i < names.size(); ++i) {
        if (bytes[static_cast<std::size_t>(i)] == 0) continue;
        const double wide = kSwatchSide + kBehindMark + metrics.horizontalAdvance(names[i]);
        if (x > room.left() && x + wide > room.right()) {
            x = room.left();
            y += kLegendRow;
        }
        painter.fillRect(QRectF(x, y + (kLegendRow - kSwatchSide) / 2, kSwatchSide, kSwatchSide), memoryColor(i));
        painter.setPen(theme.colors().muted);
        painter.drawText(QRectF(x + kSwatchSide + kBehindMark, y, wide, kLegendRow), Qt::AlignLeft | Qt::AlignVCenter,
                         names[i]);
        x += wide + kBetweenNames;
    }
    const double left = room.right() - x;
    painter.setPen(theme.colors().muted);
    painter.drawText(QRectF(x, y, left, kLegendRow), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(words, Qt::ElideRight, left));
}

}  // namespace ringside
