// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of GridWidget. Events are in loom_widget.cpp.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "sampling/query/plan_query.h"
#include "shards/cells/cell_painter.h"
#include "shards/grid/grid_widget.h"
#include "shards/grid/picture/progress_painter.h"
#include "shards/scene/device_chunks.h"
#include "shards/scene/sentence_text.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr double kLeastStepFrame = 3;
constexpr double kLeastMark = 4;           // smallest width of a mark in pixels, for any number of samples per pixel
constexpr TypeLength kNameHeight{14};      // height of a rank's name
constexpr TypeLength kNoteHeight{44};      // least height of a row with a name and a note
constexpr TypeLength kLeastStepLabel{64};  // least room between two step labels

// Returns the smallest of 1, 2, 5, 10, 20, ... that is not below the count.
qint64 roundCount(double count) {
    qint64 power = 1;
    while (10 * static_cast<double>(power) < count) power *= 10;
    for (const qint64 factor : {1, 2, 5}) {
        if (static_cast<double>(factor * power) >= count) return factor * power;
    }
    return 10 * power;
}

}  // namespace

void GridWidget::paintEvent(QPaintEvent*) {
    if (!m_scene || !m_colors || m_scene->columns() == 0) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawRankNames(painter);
    drawSteps(painter);
    const QRectF area = cellsArea();
    painter.setClipRect(area.adjusted(-2, -1, 2, 0));
    painter.translate(area.topLeft());
    m_cellsDrawn = m_geometry.visibleRanks().size() * m_geometry.visibleSlots().size();
    drawCells(painter);
    drawChunks(painter);
    drawMarks(painter);
    drawDifferences(painter);
    if (m_flight.isAnyTaken()) m_flight.paintHoles(painter, m_geometry);
    paintProgress(painter, m_progress, m_geometry, m_theme);
    drawStep(painter);
    drawHits(painter);
    if (m_hovered) drawCursor(painter, *m_hovered, m_theme.colors().muted, 1.5);
    if (m_selected) drawCursor(painter, *m_selected, m_theme.colors().text, 2);
    if (!m_flight.isFlying()) return;
    painter.setClipping(false);
    m_flight.paintCards(painter, CellPainter(*m_scene, *m_colors, m_theme, m_thumbnails), m_geometry);
}

void GridWidget::drawStep(QPainter& painter) const {
    if (!m_step || m_step->size() <= 0 || !m_scene) return;
    const CellRange ranks = m_geometry.visibleRanks();
    const QRectF first = m_geometry.cell(static_cast<int>(ranks.first), m_step->first);
    const QRectF last = m_geometry.cell(static_cast<int>(ranks.last) - 1, m_step->last);
    QRectF frame(first.left(), first.top(), last.left() - first.left(), last.bottom() - first.top());
    if (frame.width() < kLeastStepFrame) frame.setWidth(kLeastStepFrame);
    QColor wash = m_theme.colors().accent;
    wash.setAlphaF(0.14F);
    painter.fillRect(frame, wash);
    painter.setPen(QPen(m_theme.colors().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(frame.adjusted(0, 1, 0, -1), 3, 3);
}

void GridWidget::drawRankNames(QPainter& painter) const {
    const QRectF area = cellsArea();
    const double height = m_geometry.rowHeight();
    const CellRange ranks = m_geometry.visibleRanks();
    const qint64 every = std::max<qint64>(1, static_cast<qint64>(std::ceil(kNameHeight / height)));
    painter.save();
    painter.setClipRect(QRectF(0, area.top(), area.left(), area.height()));
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const QRectF row = m_geometry.cell(static_cast<int>(rank), 0).translated(0, area.top());
        painter.fillRect(QRectF(area.left() - 7, row.top() + 1, 3, row.height() - 2),
                         m_theme.rankColor(static_cast<int>(rank)));
        if (rank % every != 0) {
            continue;
        }
        const QRectF text(0, row.top(), area.left() - 12, row.height());
        painter.setPen(m_theme.colors().text);
        if (height >= kNoteHeight) {
            painter.setFont(m_theme.numberFont());
            painter.drawText(text.adjusted(0, 0, 0, -text.height() / 2 + 2), Qt::AlignLeft | Qt::AlignBottom,
                             tr("Rank %1").arg(rank));
            drawRankNote(painter, static_cast<int>(rank), text.adjusted(0, text.height() / 2 + 4, 0, 0));
        } else {
            painter.setFont(m_theme.smallFont());
            const double high = kNameHeight + 2;
            painter.drawText(
                QRectF(text.left(), std::max(text.center().y() - high / 2, area.top()), text.width(), high),
                Qt::AlignLeft | Qt::AlignVCenter, tr("Rank %1").arg(rank));
        }
    }
    painter.restore();
}

// Draws the number of samples of the rank, or the state of its verification.
void GridWidget::drawRankNote(QPainter& painter, int rank, const QRectF& place) const {
    const auto at = static_cast<std::size_t>(rank);
    const RankProgress progress = at < m_progress.ranks.size() ? m_progress.ranks[at] : RankProgress{};
    const ThemeColors& c = m_theme.colors();
    painter.setFont(m_theme.smallFont());
    const qint64 taken = m_flight.taken(rank).size();
    painter.setPen(progress.wrong                                 ? c.danger
                   : progress.verified && m_progress.repeatsOrder ? c.warningText
                   : progress.verified                            ? c.goodText
                   : taken > 0                                    ? c.accent
                                                                  : c.muted);
    const qint64 samples = m_scene->plan.samplesOf(rank);
    const QString words = samples == 1 ? tr("1 sample") : tr("%1 samples").arg(groupedNumber(samples));
    const bool fits = painter.fontMetrics().horizontalAdvance(words) <= place.width();
    painter.drawText(place, Qt::AlignLeft | Qt::AlignTop,
                     progress.wrong      ? tr("\u2717 mismatch")
                     : progress.verified ? (m_progress.repeatsOrder ? tr("same order") : tr("\u2713 verified"))
                     : taken > 0         ? tr("%1 trained").arg(groupedNumber(taken))
                     : progress.done > 0 ? tr("%1 of %2").arg(groupedNumber(progress.done), groupedNumber(samples))
                     : fits              ? words
                                         : groupedNumber(samples));
}

void GridWidget::drawSteps(QPainter& painter) const {
    const QRectF area = cellsArea();
    const ShardPlan& plan = m_scene->plan;
    const qint64 batch = plan.spec().batchSize;
    const CellRange span = m_geometry.visibleSlots();
    const qint64 last = std::min<qint64>(span.last, plan.samplesPerRank());
    painter.setFont(m_theme.smallFont());
    painter.setPen(m_theme.colors().muted);
    const double stepWidth = m_geometry.pitch() * static_cast<double>(batch);
    const qint64 every = roundCount(kLeastStepLabel / stepWidth);
    const qint64 firstStep = span.first / batch;
    double free = -1;  // right edge of the last label
    for (qint64 step = firstStep; step * batch < last; ++step) {
        if ((step + 1) % every != 0 && step != firstStep) {
            continue;
        }
        const double x = std::max(0.0, m_geometry.cell(0, step * batch).left());
        const QString text = step >= plan.stepsPerEpoch() ? tr("dropped") : tr("Step %1").arg(groupedNumber(step + 1));
        const double width = painter.fontMetrics().horizontalAdvance(text);
        const double next = m_geometry.cell(0, (step + 1) * batch).left();
        const bool room = every > 1 || next - x > width || step * batch + batch >= last;
        if (x > free && x + width <= area.width() && room) {
            painter.drawText(QPointF(area.left() + x, area.top() - 9), text);
            free = x + width + 8;
        }
    }
    const bool oneStep = firstStep == (last - 1) / batch && firstStep < plan.stepsPerEpoch();
    if (m_geometry.detail() == CellDetail::Thumbnail && stepWidth > 200 && oneStep) {
        const qint64 size = plan.batch(firstStep).count;
        const qint64 lastSlot = std::min(last - 1, firstStep * batch + size - 1);
        const QString text = tr("slots %1 to %2 of the epoch").arg(span.first).arg(lastSlot);
        painter.drawText(QRectF(area.left() + 90, 0, area.width() - 180, area.top() - 5),
                         Qt::AlignHCenter | Qt::AlignBottom, text);
    }
}

void GridWidget::drawCells(QPainter& painter) {
    const CellDetail detail = m_geometry.detail();
    if (detail != CellDetail::Thumbnail && detail != CellDetail::Index) {
        drawRaster(painter);
        return;
    }
    const CellPainter cells(*m_scene, *m_colors, m_theme, m_thumbnails);
    const CellRange ranks = m_geometry.visibleRanks();
    const CellRange span = m_geometry.visibleSlots();
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        for (qint64 slot = span.first; slot < span.last; ++slot) {
            const GridCell cell{static_cast<int>(rank), slot};
            const QRectF rect = m_geometry.cell(cell.rank, slot);
            if (detail == CellDetail::Thumbnail) {
                cells.card(painter, rect, cell, rect.height() >= 62);
            } else {
                cells.chip(painter, rect, cell);
            }
        }
    }
    drawGrid(painter);
}

void GridWidget::drawRaster(QPainter& painter) {
    const CellRange ranks = m_geometry.visibleRanks();
    const double ratio = devicePixelRatioF();
    const double pitch = m_geometry.pitch();
    m_raster.requestLatest({m_geometry.firstSlot(), 1 / (pitch * ratio),
                            static_cast<int>(std::ceil(m_geometry.area().width() * ratio)), ranks});
    painter.setRenderHint(QPainter::Antialiasing, false);
    drawStrips(painter, m_raster.image(), m_raster.imageRequest());
    if (m_fade.isHeld() && m_raster.isSettled()) m_fade.arrive();
    if (m_fade.opacity() > 0) {
        painter.setOpacity(m_fade.opacity());
        drawStrips(painter, m_fading, m_fadingRequest);
        painter.setOpacity(1);
    }
    drawGrid(painter);
    painter.setRenderHint(QPainter::Antialiasing);
}

// Draws the image of an earlier view at the current position of its slots.
void GridWidget::drawStrips(QPainter& painter, const QImage& image, const RasterRequest& made) const {
    const double pitch = m_geometry.pitch();
    const double left = (made.firstSlot - m_geometry.firstSlot()) * pitch;
    const double width = made.slotsPerPixel * image.width() * pitch;
    const CellRange ranks = m_geometry.visibleRanks();
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const auto row = static_cast<int>(rank - made.ranks.first);
        if (row < 0 || row >= image.height()) continue;
        const QRectF cell = m_geometry.cell(static_cast<int>(rank), 0);
        drawStrip(painter, QRectF(left, cell.top(), width, cell.height()), image, row);
    }
}

// Draws gaps between cells if there is room, and the borders between batches.
void GridWidget::drawGrid(QPainter& painter) const {
    const double pitch = m_geometry.pitch();
    const qint64 batch = m_scene->plan.spec().batchSize;
    const CellRange span = m_geometry.visibleSlots();
    const double bottom = std::min(m_geometry.area().height(), m_geometry.contentHeight() - m_geometry.scrollY());
    if (m_geometry.detail() == CellDetail::Border) {
        for (qint64 slot = span.first + 1; slot <= span.last; ++slot) {
            painter.fillRect(QRectF(m_geometry.cell(0, slot).left() - 1, 0, 1, bottom), m_theme.colors().panel);
        }
    }
    if (pitch < 4 || batch < 2) {
        return;
    }
    const double gap = pitch - m_geometry.cell(0, 0).width();
    for (qint64 step = span.first / batch + 1; step * batch < span.last; ++step) {
        const double x = m_geometry.cell(0, step * batch).left() - gap / 2;
        painter.fillRect(QRectF(x - 0.75, 0, 1.5, bottom), m_theme.colors().muted);
    }
}

// Draws the borders at which torch.chunk splits the batches of a rank with several devices.
void GridWidget::drawChunks(QPainter& painter) const {
    if (m_scene->devices < 2 || m_geometry.pitch() < 4) return;
    const CellRange span = m_geometry.visibleSlots(), ranks = m_geometry.visibleRanks();
    const double gap = m_geometry.pitch() - m_geometry.cell(0, 0).width();
    painter.setPen(QPen(m_theme.colors().muted, 1, Qt::DotLine));
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const auto row = static_cast<int>(rank);
        for (qint64 slot = span.first; slot < std::min<qint64>(span.last, m_scene->plan.samplesOf(row));) {
            const DeviceChunk chunk = chunkAt(m_scene->plan, m_scene->devices, row, slot);
            const QRectF cell = m_geometry.cell(row, chunk.first);
            if (chunk.device > 0)
                painter.drawLine(QPointF(cell.left() - gap / 2, cell.top()),
                                 QPointF(cell.left() - gap / 2, cell.bottom()));
            slot = chunk.first + std::max<qint64>(1, chunk.count);
        }
    }
}

// Draws marks on duplicates and dropped samples, at every zoom.
void GridWidget::drawMarks(QPainter& painter) const {
    const CellDetail detail = m_geometry.detail();
    if (detail == CellDetail::Thumbnail || detail == CellDetail::Index) {
        return;
    }
    const double width = m_geometry.area().width();
    const CellRange ranks = m_geometry.visibleRanks();
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const std::vector<MarkRun> runs = markRuns(*m_scene, static_cast<int>(rank));
        for (const PlacedMark& mark : placedMarks(runs, m_geometry.firstSlot(), m_geometry.pitch(), kLeastMark)) {
            if (mark.right > 0 && mark.left < width) drawMark(painter, static_cast<int>(rank), mark);
        }
    }
}

// Draws an outline per cell if cells are large enough, otherwise one per run of cells.
void GridWidget::drawMark(QPainter& painter, int rank, const PlacedMark& mark) const {
    const CellPainter cells(*m_scene, *m_colors, m_theme, const_cast<Thumbnails&>(m_thumbnails));
    QRectF row = m_geometry.cell(rank, mark.run.span.first);
    if (mark.run.kind == CellKind::DroppedByLoader) {
        row.setLeft(mark.left);
        row.setRight(mark.right);
        painter.fillRect(row, QBrush(m_theme.colors().panel));
        painter.fillRect(row, QBrush(m_theme.colors().danger, Qt::BDiagPattern));
    } else if (m_geometry.pitch() < kLeastMark) {
        row.setLeft(mark.left);
        row.setRight(mark.right);
        cells.outline(painter, row, mark.run.kind);
    } else {
        const CellRange seen = m_geometry.visibleSlots();
        const qint64 last = std::min(mark.run.span.last, seen.last);
        for (qint64 slot = std::max(mark.run.span.first, seen.first); slot < last; ++slot) {
            cells.outline(painter, m_geometry.cell(rank, slot), mark.run.kind);
        }
    }
}

// Draws outlines around search matches, or marks if cells are narrower than an outline. Matches are in training order,
// followed by matches without a rank.
void GridWidget::drawHits(QPainter& painter) const {
    if (!m_hits || m_hits->empty()) return;
    constexpr std::ptrdiff_t kMostDrawn = 20'000;
    const CellRange seen = m_geometry.visibleSlots(), ranks = m_geometry.visibleRanks();
    const auto placed =
        std::ranges::find_if(m_hits->rbegin(), m_hits->rend(), [](const PlanHit& hit) { return hit.rank >= 0; }).base();
    const auto first = std::ranges::lower_bound(m_hits->begin(), placed, seen.first, {}, &PlanHit::slot);
    painter.setPen(QPen(m_theme.colors().accent, m_geometry.pitch() >= 16 ? 2.5 : 1.5));
    painter.setBrush(Qt::NoBrush);
    const double corner = m_geometry.pitch() >= 16 ? Theme::kCorner : 0;
    for (auto hit = first; hit != placed && hit->slot < seen.last && hit - first < kMostDrawn; ++hit) {
        if (hit->rank < ranks.first || hit->rank >= ranks.last) continue;
        const QRectF cell = m_geometry.cell(hit->rank, hit->slot);
        if (m_geometry.pitch() >= kLeastMark) {
            painter.drawRoundedRect(cell.adjusted(-0.5, -0.5, 0.5, 0.5), corner, corner);
        } else {
            painter.fillRect(QRectF(cell.center().x() - 0.75, cell.top(), 1.5, cell.height()), m_theme.colors().text);
        }
    }
}

void GridWidget::drawCursor(QPainter& painter, GridCell cell, const QColor& color, double width) const {
    if (cell.slot >= m_scene->columns() || cell.rank >= m_scene->ranks()) {
        return;
    }
    QRectF rect = m_geometry.cell(cell.rank, cell.slot);
    if (rect.width() < 6) {
        rect = QRectF(rect.center().x() - 3, rect.top(), 6, rect.height());
    }
    const double corner = rect.width() >= 16 ? 6 : 1;
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), corner, corner);
}

}  // namespace ringside
