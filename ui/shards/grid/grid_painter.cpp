// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/grid_painter.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "sampling/query/plan_query.h"
#include "shards/cells/cell_painter.h"
#include "shards/scene/device_chunks.h"
#include "shards/scene/sentence_text.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr double kMinStepFrame = 3;
constexpr double kMinMark = 4;           // minimum width of a mark in pixels, even if a pixel contains several cells
constexpr TypeLength kNameHeight{14};    // height of a rank's name
constexpr TypeLength kNoteHeight{44};    // minimum height of a row that shows a name and a note
constexpr TypeLength kMinStepLabel{64};  // minimum distance between two step labels

// Returns the smallest of the numbers 1, 2, 5, 10, 20, ... that is at least `count`.
qint64 roundCount(double count) {
    qint64 power = 1;
    while (10 * static_cast<double>(power) < count) power *= 10;
    for (const qint64 factor : {1, 2, 5}) {
        if (static_cast<double>(factor * power) >= count) return factor * power;
    }
    return 10 * power;
}

QString tr(const char* text) {
    return QCoreApplication::translate("GridWidget", text);
}

}  // namespace

void GridPainter::drawStep() const {
    if (!m_contents.step || m_contents.step->size() <= 0 || !m_contents.scene) return;
    const CellRange ranks = m_geometry.visibleRanks();
    const QRectF first = m_geometry.cell(static_cast<int>(ranks.first), m_contents.step->first);
    const QRectF last = m_geometry.cell(static_cast<int>(ranks.last) - 1, m_contents.step->last);
    QRectF frame(first.left(), first.top(), last.left() - first.left(), last.bottom() - first.top());
    if (frame.width() < kMinStepFrame) frame.setWidth(kMinStepFrame);
    QColor wash = m_theme.colors().accent;
    wash.setAlphaF(0.14F);
    m_painter.fillRect(frame, wash);
    m_painter.setPen(QPen(m_theme.colors().accent, 2));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRoundedRect(frame.adjusted(0, 1, 0, -1), 3, 3);
}

void GridPainter::drawRankNames(const BatchFlight& flight) const {
    const QRectF area = m_area;
    const double height = m_geometry.rowHeight();
    const CellRange ranks = m_geometry.visibleRanks();
    const qint64 every = std::max<qint64>(1, static_cast<qint64>(std::ceil(kNameHeight / height)));
    m_painter.save();
    m_painter.setClipRect(QRectF(0, area.top(), area.left(), area.height()));
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const QRectF row = m_geometry.cell(static_cast<int>(rank), 0).translated(0, area.top());
        m_painter.fillRect(QRectF(area.left() - 7, row.top() + 1, 3, row.height() - 2),
                           m_theme.rankColor(static_cast<int>(rank)));
        if (rank % every != 0) {
            continue;
        }
        const QRectF text(0, row.top(), area.left() - 12, row.height());
        m_painter.setPen(m_theme.colors().text);
        if (height >= kNoteHeight) {
            m_painter.setFont(m_theme.numberFont());
            m_painter.drawText(text.adjusted(0, 0, 0, -text.height() / 2 + 2), Qt::AlignLeft | Qt::AlignBottom,
                               tr("Rank %1").arg(rank));
            drawRankNote(static_cast<int>(rank), text.adjusted(0, text.height() / 2 + 4, 0, 0),
                         flight.computingSlots(static_cast<int>(rank)).size());
        } else {
            m_painter.setFont(m_theme.smallFont());
            const double high = kNameHeight + 2;
            m_painter.drawText(
                QRectF(text.left(), std::max(text.center().y() - high / 2, area.top()), text.width(), high),
                Qt::AlignLeft | Qt::AlignVCenter, tr("Rank %1").arg(rank));
        }
    }
    m_painter.restore();
}

// Draws the note below the name of a rank. If the epoch was compared with the plan, the note is the result. Otherwise
// it is the number of samples that the rank is training on or has trained; without a run, the number of samples
// assigned to the rank.
void GridPainter::drawRankNote(int rank, const QRectF& place, qint64 taken) const {
    const auto at = static_cast<std::size_t>(rank);
    const RankProgress progress =
        at < m_contents.progress.ranks.size() ? m_contents.progress.ranks[at] : RankProgress{};
    const ThemeColors& c = m_theme.colors();
    m_painter.setFont(m_theme.smallFont());
    m_painter.setPen(progress.wrong                                          ? c.danger
                     : progress.verified && m_contents.progress.repeatsOrder ? c.warningText
                     : progress.verified                                     ? c.goodText
                     : taken > 0                                             ? c.accent
                                                                             : c.muted);
    const qint64 samples = m_contents.scene->plan.samplesOf(rank);
    const QString words = samples == 1 ? tr("1 sample") : tr("%1 samples").arg(groupedNumber(samples));
    const bool fits = m_painter.fontMetrics().horizontalAdvance(words) <= place.width();
    m_painter.drawText(place, Qt::AlignLeft | Qt::AlignTop,
                       progress.wrong ? tr("\u2717 mismatch")
                       : progress.verified
                           ? (m_contents.progress.repeatsOrder ? tr("same order") : tr("\u2713 verified"))
                       : taken > 0         ? tr("training %1").arg(groupedNumber(taken))
                       : progress.done > 0 ? tr("%1 of %2").arg(groupedNumber(progress.done), groupedNumber(samples))
                       : fits              ? words
                                           : groupedNumber(samples));
}

void GridPainter::drawSteps() const {
    const QRectF area = m_area;
    const ShardPlan& plan = m_contents.scene->plan;
    const qint64 batch = plan.spec().batchSize;
    const CellRange span = m_geometry.visibleSlots();
    const qint64 last = std::min<qint64>(span.last, plan.samplesPerRank());
    m_painter.setFont(m_theme.smallFont());
    m_painter.setPen(m_theme.colors().muted);
    const double stepWidth = m_geometry.pitch() * static_cast<double>(batch);
    const qint64 every = roundCount(kMinStepLabel / stepWidth);
    const qint64 firstStep = span.first / batch;
    double free = -1;  // x position of the right edge of the last step label; the next label must start after it
    for (qint64 step = firstStep; step * batch < last; ++step) {
        if ((step + 1) % every != 0 && step != firstStep) {
            continue;
        }
        const double x = std::max(0.0, m_geometry.cell(0, step * batch).left());
        const QString text = step >= plan.stepsPerEpoch() ? tr("dropped") : tr("Step %1").arg(groupedNumber(step + 1));
        const double width = m_painter.fontMetrics().horizontalAdvance(text);
        const double next = m_geometry.cell(0, (step + 1) * batch).left();
        const bool room = every > 1 || next - x > width || step * batch + batch >= last;
        if (x > free && x + width <= area.width() && room) {
            m_painter.drawText(QPointF(area.left() + x, area.top() - 9), text);
            free = x + width + 8;
        }
    }
    const bool oneStep = firstStep == (last - 1) / batch && firstStep < plan.stepsPerEpoch();
    if (m_geometry.detail() == CellDetail::Thumbnail && stepWidth > 200 && oneStep) {
        const qint64 size = plan.batch(firstStep).count;
        const qint64 lastSlot = std::min(last - 1, firstStep * batch + size - 1);
        const QString text = tr("slots %1 to %2 of the epoch").arg(span.first).arg(lastSlot);
        const QRectF room(area.left() + 90, 0, area.width() - 180, area.top() - 5);
        if (m_painter.fontMetrics().horizontalAdvance(text) <= room.width())
            m_painter.drawText(room, Qt::AlignHCenter | Qt::AlignBottom, text);
    }
}

void GridPainter::drawCards() const {
    const CellPainter cells(*m_contents.scene, *m_contents.colors, m_theme, m_thumbnails);
    const CellRange ranks = m_geometry.visibleRanks();
    const CellRange span = m_geometry.visibleSlots();
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        for (qint64 slot = span.first; slot < span.last; ++slot) {
            const GridCell cell{static_cast<int>(rank), slot};
            const QRectF rect = m_geometry.cell(cell.rank, slot);
            if (m_geometry.detail() == CellDetail::Thumbnail) {
                cells.card(m_painter, rect, cell, rect.height() >= 62);
            } else {
                cells.chip(m_painter, rect, cell);
            }
        }
    }
}

void GridPainter::drawStrips(const QImage& image, const RasterRequest& made) const {
    const double pitch = m_geometry.pitch();
    const double left = (made.firstSlot - m_geometry.firstSlot()) * pitch;
    const double width = made.slotsPerPixel * image.width() * pitch;
    const CellRange ranks = m_geometry.visibleRanks();
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const auto row = static_cast<int>(rank - made.ranks.first);
        if (row < 0 || row >= image.height()) continue;
        const QRectF cell = m_geometry.cell(static_cast<int>(rank), 0);
        drawImageRow(m_painter, QRectF(left, cell.top(), width, cell.height()), image, row);
    }
}

void GridPainter::drawBorders() const {
    const double pitch = m_geometry.pitch();
    const qint64 batch = m_contents.scene->plan.spec().batchSize;
    const CellRange span = m_geometry.visibleSlots();
    const double bottom = std::min(m_geometry.area().height(), m_geometry.contentHeight() - m_geometry.scrollY());
    if (m_geometry.detail() == CellDetail::Border) {
        for (qint64 slot = span.first + 1; slot <= span.last; ++slot) {
            m_painter.fillRect(QRectF(m_geometry.cell(0, slot).left() - 1, 0, 1, bottom), m_theme.colors().panel);
        }
    }
    if (pitch < 4 || batch < 2) {
        return;
    }
    const double gap = pitch - m_geometry.cell(0, 0).width();
    for (qint64 step = span.first / batch + 1; step * batch < span.last; ++step) {
        const double x = m_geometry.cell(0, step * batch).left() - gap / 2;
        m_painter.fillRect(QRectF(x - 0.75, 0, 1.5, bottom), m_theme.colors().muted);
    }
}

void GridPainter::drawChunks() const {
    if (m_contents.scene->devices < 2 || m_geometry.pitch() < 4) return;
    const CellRange span = m_geometry.visibleSlots(), ranks = m_geometry.visibleRanks();
    const double gap = m_geometry.pitch() - m_geometry.cell(0, 0).width();
    m_painter.setPen(QPen(m_theme.colors().muted, 1, Qt::DotLine));
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const auto row = static_cast<int>(rank);
        for (qint64 slot = span.first; slot < std::min<qint64>(span.last, m_contents.scene->plan.samplesOf(row));) {
            const DeviceChunk chunk = chunkAt(m_contents.scene->plan, m_contents.scene->devices, row, slot);
            const QRectF cell = m_geometry.cell(row, chunk.first);
            if (chunk.device > 0)
                m_painter.drawLine(QPointF(cell.left() - gap / 2, cell.top()),
                                   QPointF(cell.left() - gap / 2, cell.bottom()));
            slot = chunk.first + std::max<qint64>(1, chunk.count);
        }
    }
}

void GridPainter::drawMarks() const {
    const CellDetail detail = m_geometry.detail();
    if (detail == CellDetail::Thumbnail || detail == CellDetail::Index) {
        return;
    }
    const double width = m_geometry.area().width();
    const CellRange ranks = m_geometry.visibleRanks();
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const std::vector<MarkRun> runs = markRuns(*m_contents.scene, static_cast<int>(rank));
        for (const PlacedMark& mark : placedMarks(runs, m_geometry.firstSlot(), m_geometry.pitch(), kMinMark)) {
            if (mark.right > 0 && mark.left < width) drawMark(static_cast<int>(rank), mark);
        }
    }
}

// Draws a mark on adjacent duplicates or dropped samples of a rank: a hatched area for samples that the loader drops;
// otherwise an outline around each cell, or around all of them if cells are narrower than kMinMark.
void GridPainter::drawMark(int rank, const PlacedMark& mark) const {
    const CellPainter cells(*m_contents.scene, *m_contents.colors, m_theme, m_thumbnails);
    QRectF row = m_geometry.cell(rank, mark.run.span.first);
    if (mark.run.kind == CellKind::DroppedByLoader) {
        row.setLeft(mark.left);
        row.setRight(mark.right);
        m_painter.fillRect(row, QBrush(m_theme.colors().panel));
        m_painter.fillRect(row, QBrush(m_theme.colors().danger, Qt::BDiagPattern));
    } else if (m_geometry.pitch() < kMinMark) {
        row.setLeft(mark.left);
        row.setRight(mark.right);
        cells.outline(m_painter, row, mark.run.kind);
    } else {
        const CellRange seen = m_geometry.visibleSlots();
        const qint64 last = std::min(mark.run.span.last, seen.last);
        for (qint64 slot = std::max(mark.run.span.first, seen.first); slot < last; ++slot) {
            cells.outline(m_painter, m_geometry.cell(rank, slot), mark.run.kind);
        }
    }
}

// The matches are sorted: first those with a rank, in training order, then those without a rank, which no cell shows.
void GridPainter::drawHits() const {
    if (!m_contents.hits || m_contents.hits->empty()) return;
    constexpr std::ptrdiff_t kMaxDrawn = 20'000;
    const CellRange seen = m_geometry.visibleSlots(), ranks = m_geometry.visibleRanks();
    const auto placed =
        std::ranges::find_if(m_contents.hits->rbegin(), m_contents.hits->rend(), [](const PlanHit& hit) {
            return hit.rank >= 0;
        }).base();
    const auto first = std::ranges::lower_bound(m_contents.hits->begin(), placed, seen.first, {}, &PlanHit::slot);
    m_painter.setPen(QPen(m_theme.colors().accent, m_geometry.pitch() >= 16 ? 2.5 : 1.5));
    m_painter.setBrush(Qt::NoBrush);
    const double corner = m_geometry.pitch() >= 16 ? Theme::kCorner : 0;
    for (auto hit = first; hit != placed && hit->slot < seen.last && hit - first < kMaxDrawn; ++hit) {
        if (hit->rank < ranks.first || hit->rank >= ranks.last) continue;
        const QRectF cell = m_geometry.cell(hit->rank, hit->slot);
        if (m_geometry.pitch() >= kMinMark) {
            m_painter.drawRoundedRect(cell.adjusted(-0.5, -0.5, 0.5, 0.5), corner, corner);
        } else {
            m_painter.fillRect(QRectF(cell.center().x() - 0.75, cell.top(), 1.5, cell.height()), m_theme.colors().text);
        }
    }
}

void GridPainter::drawCursors() const {
    if (m_contents.hovered) drawCursor(*m_contents.hovered, m_theme.colors().muted, 1.5);
    if (m_contents.selected) drawCursor(*m_contents.selected, m_theme.colors().text, 2);
}

void GridPainter::drawCursor(GridCell cell, const QColor& color, double width) const {
    if (cell.slot >= m_contents.scene->columns() || cell.rank >= m_contents.scene->ranks()) {
        return;
    }
    QRectF rect = m_geometry.cell(cell.rank, cell.slot);
    if (rect.width() < 6) {
        rect = QRectF(rect.center().x() - 3, rect.top(), 6, rect.height());
    }
    const double corner = rect.width() >= 16 ? 6 : 1;
    m_painter.setPen(QPen(color, width));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), corner, corner);
}

}  // namespace ringside
