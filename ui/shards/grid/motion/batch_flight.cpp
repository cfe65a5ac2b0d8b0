// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/motion/batch_flight.h"

#include <QEasingCurve>
#include <algorithm>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr int kFlightFrameMs = 16;
constexpr qint64 kMaxFlying = 400;    // largest number of visible cells at which cards move one by one; with more
                                      // cells, each batch moves as one block
constexpr TypeLength kRankPlace{60};  // width of the column with the names of the ranks, left of the cells
constexpr double kArrived = 10;       // side in pixels of a card that has arrived at the name of its rank

}  // namespace

BatchFlight::BatchFlight(const Theme& theme, QWidget& grid) : m_theme(theme) {
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kFlightFrameMs);
    m_clock.start();
    connect(&m_timer, &QTimer::timeout, &grid, [this, &grid] {
        showAt(static_cast<double>(m_clock.elapsed()));
        grid.update();
    });
}

// Starts to move the batches with which ranks have begun to compute. The cells of a batch stay empty in all phases of
// its step, until the step is counted as trained.
void BatchFlight::setProgress(const RunProgress& progress) {
    m_batches.resize(progress.ranks.size());
    for (std::size_t rank = 0; rank < m_batches.size(); ++rank) {
        const RankProgress& one = progress.ranks[rank];
        Batch& batch = m_batches[rank];
        if (batch.first >= 0 && (one.done != batch.first || !one.showsPhases || one.underway == 0)) batch = {};
        if (batch.first >= 0 || !one.isComputing || !one.showsPhases || one.underway == 0) continue;
        m_ms = static_cast<double>(m_clock.elapsed());
        batch = {one.done, one.underway, m_ms};
        if (m_theme.allowsMotion() && !m_timer.isActive()) m_timer.start();
    }
}

bool BatchFlight::isAnyComputing() const {
    return std::ranges::any_of(m_batches, [](const Batch& one) { return one.first >= 0; });
}

CellRange BatchFlight::computingSlots(int rank) const {
    if (static_cast<std::size_t>(rank) >= m_batches.size()) return {0, 0};
    const Batch& batch = m_batches[static_cast<std::size_t>(rank)];
    if (batch.first < 0) return {0, 0};
    return {batch.first, batch.first + batch.count};
}

void BatchFlight::showAt(double ms) {
    m_ms = ms;
    const bool under = std::ranges::any_of(m_batches, [this](const Batch& one) { return travelled(one) < 1; });
    if (!under) m_timer.stop();
}

double BatchFlight::travelled(const Batch& batch) const {
    if (batch.first < 0 || !m_theme.allowsMotion()) return 1;
    const double share = std::clamp((m_ms - batch.startMs) / Theme::kMotionMs, 0.0, 1.0);
    return QEasingCurve(QEasingCurve::InOutCubic).valueForProgress(share);
}

void BatchFlight::paintEmptiedCells(QPainter& painter, const GridGeometry& geometry) const {
    const CellRange ranks = geometry.visibleRanks(), seen = geometry.visibleSlots();
    const bool apart = geometry.detail() == CellDetail::Thumbnail || geometry.detail() == CellDetail::Index;
    QPen border(m_theme.colors().border, 1, Qt::DashLine);
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const CellRange slots_ = computingSlots(static_cast<int>(rank));
        const qint64 first = std::max(slots_.first, seen.first), last = std::min(slots_.last, seen.last);
        if (first >= last) continue;
        const QRectF from = geometry.cell(static_cast<int>(rank), first);
        const QRectF whole = from.united(geometry.cell(static_cast<int>(rank), last - 1));
        painter.fillRect(whole.adjusted(-1, 0, 1, 0), m_theme.colors().panel);
        painter.setPen(border);
        painter.setBrush(Qt::NoBrush);
        if (!apart) {
            painter.drawRect(whole);
            continue;
        }
        for (qint64 slot = first; slot < last; ++slot)
            painter.drawRoundedRect(geometry.cell(static_cast<int>(rank), slot).adjusted(1, 1, -1, -1), 4, 4);
    }
}

void BatchFlight::paintCards(QPainter& painter, const CellPainter& cells, const GridGeometry& geometry) const {
    const CellRange ranks = geometry.visibleRanks(), seen = geometry.visibleSlots();
    const bool apart = (geometry.detail() == CellDetail::Thumbnail || geometry.detail() == CellDetail::Index) &&
                       ranks.size() * seen.size() <= kMaxFlying;
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        const CellRange slots_ = computingSlots(static_cast<int>(rank));
        const qint64 first = std::max(slots_.first, seen.first), last = std::min(slots_.last, seen.last);
        if (first >= last) continue;
        const double share = travelled(m_batches[static_cast<std::size_t>(rank)]);
        if (share >= 1) continue;
        const QRectF row = geometry.cell(static_cast<int>(rank), first);
        const QRectF goal(-kRankPlace, row.center().y() - kArrived / 2, kArrived, kArrived);
        const auto onTheWay = [&](const QRectF& from) {
            const auto mix = [share](double a, double b) { return a + (b - a) * share; };
            return QRectF(mix(from.x(), goal.x()), mix(from.y(), goal.y()), mix(from.width(), goal.width()),
                          mix(from.height(), goal.height()));
        };
        painter.setOpacity(1 - 0.5 * share);
        if (apart) {
            for (qint64 slot = last; slot-- > first;)
                cells.chip(painter, onTheWay(geometry.cell(static_cast<int>(rank), slot)),
                           {static_cast<int>(rank), slot});
        } else {
            painter.fillRect(onTheWay(row.united(geometry.cell(static_cast<int>(rank), last - 1))),
                             m_theme.rankColor(static_cast<int>(rank)));
        }
        painter.setOpacity(1);
    }
}

}  // namespace ringside
