// SPDX-License-Identifier: GPL-3.0-or-later
// How GridWidget marks the cells that differ from another plan's.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "shards/grid/grid_widget.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kLeastStrip = 2, kLargestStrip = 5;
constexpr double kFaintest = 0.4;  // minimum opacity, so that one difference among thousands is visible
constexpr double kLeastCorner = 16;

double stripHeight(double row) {
    return std::clamp(row * 0.25, kLeastStrip, kLargestStrip);
}

}  // namespace

// Draws differences: a dark corner in large cells, a tick along the top of small cells, and a strip with one shade per
// pixel for narrower cells, darker for more differences.
void GridWidget::drawDifferences(QPainter& painter) const {
    if (!m_differences) return;
    if (m_geometry.pitch() < 4) return drawDifferenceStrips(painter);
    const CellRange ranks = m_geometry.visibleRanks();
    const CellRange span = m_geometry.visibleSlots();
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.colors().text);
    painter.setRenderHint(QPainter::Antialiasing, m_geometry.pitch() >= kLeastCorner);
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        for (qint64 slot = span.first; slot < span.last; ++slot) {
            if (!m_differences->differs(static_cast<int>(rank), slot)) continue;
            const QRectF rect = m_geometry.cell(static_cast<int>(rank), slot);
            if (m_geometry.pitch() < kLeastCorner) {
                painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), stripHeight(rect.height())),
                                 m_theme.colors().text);
                continue;
            }
            const double side = std::clamp(rect.width() * 0.3, 5.0, 12.0);
            const QPointF corner = rect.topRight();
            painter.drawPolygon(QPolygonF({corner, corner - QPointF(side, 0), corner + QPointF(0, side)}));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
}

void GridWidget::drawDifferenceStrips(QPainter& painter) const {
    const double ratio = devicePixelRatioF(), pitch = m_geometry.pitch() * ratio;
    const auto width = static_cast<int>(std::ceil(m_geometry.area().width() * ratio));
    const auto slotAt = [&](int x) {
        return static_cast<qint64>(std::floor(m_geometry.firstSlot() + x / pitch + 1e-9));
    };
    const QColor ink = m_theme.colors().text;
    QImage strip(width, 1, QImage::Format_ARGB32_Premultiplied);
    const CellRange ranks = m_geometry.visibleRanks();
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        auto* pixels = reinterpret_cast<QRgb*>(strip.scanLine(0));
        for (int x = 0; x < width; ++x) {
            const qint64 first = slotAt(x);
            const CellRange under{first, std::max(first + 1, slotAt(x + 1))};
            const auto differ = static_cast<double>(m_differences->count(static_cast<int>(rank), under));
            const double share = differ / static_cast<double>(under.size());
            const double opacity = differ > 0 ? kFaintest + (1 - kFaintest) * share : 0;
            pixels[x] = qPremultiply(qRgba(ink.red(), ink.green(), ink.blue(), static_cast<int>(opacity * 255)));
        }
        const QRectF row = m_geometry.cell(static_cast<int>(rank), 0);
        painter.drawImage(QRectF(0, row.top(), width / ratio, stripHeight(row.height())), strip);
    }
}

}  // namespace ringside
