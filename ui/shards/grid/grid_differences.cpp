// SPDX-License-Identifier: GPL-3.0-or-later
// Marks of cells that differ from the cells of another plan.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "shards/grid/grid_painter.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kMinStrip = 2, kLargestStrip = 5;
constexpr double kFaintest = 0.4;  // opacity of the mark at a pixel with the fewest differences, so that one among
                                   // thousands is visible
constexpr double kMinCorner = 16;

double stripHeight(double row) {
    return std::clamp(row * 0.25, kMinStrip, kLargestStrip);
}

}  // namespace

void GridPainter::drawDifferences() const {
    if (!m_contents.differences) return;
    if (m_geometry.pitch() < 4) return drawDifferenceStrips();
    const CellRange ranks = m_geometry.visibleRanks();
    const CellRange span = m_geometry.visibleSlots();
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_theme.colors().text);
    m_painter.setRenderHint(QPainter::Antialiasing, m_geometry.pitch() >= kMinCorner);
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        for (qint64 slot = span.first; slot < span.last; ++slot) {
            if (!m_contents.differences->differs(static_cast<int>(rank), slot)) continue;
            const QRectF rect = m_geometry.cell(static_cast<int>(rank), slot);
            if (m_geometry.pitch() < kMinCorner) {
                m_painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), stripHeight(rect.height())),
                                   m_theme.colors().text);
                continue;
            }
            const double side = std::clamp(rect.width() * 0.3, 5.0, 12.0);
            const QPointF corner = rect.topRight();
            m_painter.drawPolygon(QPolygonF({corner, corner - QPointF(side, 0), corner + QPointF(0, side)}));
        }
    }
    m_painter.setRenderHint(QPainter::Antialiasing);
}

void GridPainter::drawDifferenceStrips() const {
    const double ratio = m_painter.device()->devicePixelRatioF(), pitch = m_geometry.pitch() * ratio;
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
            const auto differ = static_cast<double>(m_contents.differences->count(static_cast<int>(rank), under));
            const double share = differ / static_cast<double>(under.size());
            const double opacity = differ > 0 ? kFaintest + (1 - kFaintest) * share : 0;
            pixels[x] = qPremultiply(qRgba(ink.red(), ink.green(), ink.blue(), static_cast<int>(opacity * 255)));
        }
        const QRectF row = m_geometry.cell(static_cast<int>(rank), 0);
        m_painter.drawImage(QRectF(0, row.top(), width / ratio, stripHeight(row.height())), strip);
    }
}

}  // namespace ringside
