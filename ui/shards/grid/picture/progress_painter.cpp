// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/progress_painter.h"

#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kBar = 3;
constexpr double kEdge = 2;
constexpr double kMinWrong = 6;
constexpr double kBadge = 13;
constexpr double kSmallBadge = 9;

// Draws a filled circle with a tick or a cross into the upper right corner of a cell.
void badge(QPainter& painter, const QRectF& cell, double size, const QColor& color, const QColor& sign, bool good) {
    const QRectF circle(cell.right() - size - 1, cell.top() + 2, size, size);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(circle);
    painter.setPen(QPen(sign, size / 8 + 0.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const auto at = [&](double x, double y) { return circle.topLeft() + QPointF(x * size, y * size); };
    if (good) {
        painter.drawPolyline(QPolygonF({at(0.28, 0.52), at(0.44, 0.68), at(0.72, 0.34)}));
    } else {
        painter.drawLine(at(0.32, 0.32), at(0.68, 0.68));
        painter.drawLine(at(0.68, 0.32), at(0.32, 0.68));
    }
}

// Returns the colour of trained samples: green, or the warning colour if the run uses the order of the first epoch in
// every epoch.
const QColor& trainedColor(const RunProgress& progress, const Theme& theme) {
    return progress.repeatsOrder ? theme.colors().warning : theme.colors().good;
}

void paintRow(QPainter& painter, const RankProgress& progress, const QColor& trained, int rank,
              const GridGeometry& geometry, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QRectF first = geometry.cell(rank, 0);
    const double left = std::max(0.0, first.left());
    const double edge = geometry.cell(rank, progress.done).left();
    const double right = std::min(edge, geometry.area().width());
    const double height = std::min(kBar, first.height() / 3);
    const QColor& bar = progress.wrong ? c.danger : trained;
    if (right > left) painter.fillRect(QRectF(left, first.bottom() - height, right - left, height), bar);
    if (progress.underway == 0 || edge < 0 || edge > geometry.area().width()) return;
    const double end = geometry.cell(rank, progress.done + progress.underway).left();
    QColor glow = c.accent;
    glow.setAlphaF(0.16F);
    painter.fillRect(QRectF(edge, first.top(), end - edge, first.height()), glow);
    painter.fillRect(QRectF(edge - kEdge / 2, first.top(), kEdge, first.height()), c.accent);
}

void paintTicks(QPainter& painter, const RankProgress& progress, const QColor& trained, int rank,
                const GridGeometry& geometry, const Theme& theme) {
    const bool large = geometry.detail() == CellDetail::Thumbnail;
    if (!large && (geometry.detail() != CellDetail::Index || geometry.pitch() < 26)) return;
    const CellRange span = geometry.visibleSlots();
    // For a rank with a mismatch, only samples that were compared one by one are known to be correct.
    const qint64 known = progress.wrong ? progress.compared : progress.done;
    for (qint64 slot = span.first; slot < std::min(span.last, known); ++slot) {
        badge(painter, geometry.cell(rank, slot), large ? kBadge : kSmallBadge, trained, theme.colors().panel, true);
    }
}

void paintWrong(QPainter& painter, const WrongCell& wrong, const GridGeometry& geometry, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    QRectF cell = geometry.cell(wrong.cell.rank, wrong.cell.slot);
    if (cell.width() < kMinWrong)
        cell = QRectF(cell.center().x() - kMinWrong / 2, cell.top(), kMinWrong, cell.height());
    QColor wash = c.danger;
    wash.setAlphaF(cell.width() >= 16 ? 0.22F : 0.85F);
    painter.setPen(QPen(c.danger, 3));
    painter.setBrush(wash);
    painter.drawRoundedRect(cell.adjusted(1, 1, -1, -1), 3, 3);
    if (geometry.detail() != CellDetail::Thumbnail) return;
    const QRectF label(cell.left() + 1, cell.bottom() - 16, cell.width() - 2, 15);
    painter.fillRect(label, c.danger);
    painter.setFont(theme.smallFont());
    painter.setPen(c.panel);
    painter.drawText(label, Qt::AlignCenter, QStringLiteral("\u2192 %1").arg(wrong.trained));
    badge(painter, cell, kBadge, c.danger, c.panel, false);
}

}  // namespace

void paintProgress(QPainter& painter, const RunProgress& progress, const GridGeometry& geometry, const Theme& theme) {
    const CellRange ranks = geometry.visibleRanks();
    for (qint64 at = ranks.first; at < std::min<qint64>(ranks.last, static_cast<qint64>(progress.ranks.size())); ++at) {
        const RankProgress& rank = progress.ranks[static_cast<std::size_t>(at)];
        const QColor& trained = trainedColor(progress, theme);
        paintRow(painter, rank, trained, static_cast<int>(at), geometry, theme);
        paintTicks(painter, rank, trained, static_cast<int>(at), geometry, theme);
    }
    for (const WrongCell& wrong : progress.wrong) paintWrong(painter, wrong, geometry, theme);
}

void paintProgressStrip(QPainter& painter, const RunProgress& progress, int rank, const QRectF& strip,
                        double pixelsPerSlot, const Theme& theme) {
    if (static_cast<std::size_t>(rank) >= progress.ranks.size()) return;
    const ThemeColors& c = theme.colors();
    const RankProgress& own = progress.ranks[static_cast<std::size_t>(rank)];
    const double edge = strip.left() + static_cast<double>(own.done) * pixelsPerSlot;
    const double height = std::min(kBar, strip.height() / 3);
    painter.fillRect(QRectF(strip.left(), strip.bottom() - height, edge - strip.left(), height),
                     own.wrong ? c.danger : trainedColor(progress, theme));
    if (own.underway > 0) painter.fillRect(QRectF(edge - kEdge / 2, strip.top(), kEdge, strip.height()), c.text);
    for (const WrongCell& wrong : progress.wrong) {
        if (wrong.cell.rank != rank) continue;
        const double x = strip.left() + (static_cast<double>(wrong.cell.slot) + 0.5) * pixelsPerSlot;
        painter.fillRect(QRectF(x - 2, strip.top(), 4, strip.height()), c.danger);
    }
}

}  // namespace ringside
