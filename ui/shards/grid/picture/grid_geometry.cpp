// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/grid_geometry.h"

#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

constexpr double kSmallestHomePitch = 52;
constexpr double kLargestChip = GridGeometry::kSmallestCard - 1;

}  // namespace

CellDetail cellDetail(double pitch) {
    if (pitch >= GridGeometry::kSmallestCard) return CellDetail::Thumbnail;
    if (pitch >= 16) return CellDetail::Index;
    if (pitch >= 4) return CellDetail::Border;
    if (pitch >= 1) return CellDetail::Color;
    return CellDetail::Majority;
}

void GridGeometry::setShape(qint64 slots_, int ranks) {
    const bool wasFitted = m_slots > 0 && m_pitch <= smallestPitch() && m_pitch < kLargestPitch;
    m_slots = slots_;
    m_ranks = ranks;
    if (wasFitted) {
        fit();
    }
    clampView();
}

void GridGeometry::setArea(QSizeF area) {
    const bool wasFitted = m_slots > 0 && m_pitch <= smallestPitch() && m_pitch < kLargestPitch;
    m_area = area.expandedTo(QSizeF(1, 1));
    if (m_isAtStart) {
        showStart();
    } else if (wasFitted) {
        fit();
    }
    clampView();
}

double GridGeometry::smallestPitch() const {
    if (m_slots < 1) return kLargestPitch;
    const double even = m_ranks > 0 ? m_area.height() / m_ranks : kLargestRow;
    const bool onlyChips = even >= kSmallestChipRow && even < kSmallestCardRow;
    return std::min(m_area.width() / static_cast<double>(m_slots), onlyChips ? kLargestChip : kLargestPitch);
}

double GridGeometry::rowHeight() const {
    const double even = m_ranks > 0 ? m_area.height() / m_ranks : kLargestRow;
    const bool fits = even >= (m_pitch >= kSmallestCard ? kSmallestCardRow : kSmallestChipRow);
    return std::clamp(fits ? even : std::max(even, m_pitch * kRowPerPitch), kSmallestRow, kLargestRow);
}

QRectF GridGeometry::cell(int rank, qint64 slot) const {
    const double height = rowHeight();
    const double gapX = m_pitch >= 16 ? std::clamp(m_pitch * 0.08, 2.0, 5.0) : m_pitch >= 4 ? 1 : 0;
    const double gapY = height >= 24 ? std::clamp(height * 0.08, 2.0, 7.0) : height >= 6 ? 1 : 0;
    const double x = (static_cast<double>(slot) - m_firstSlot) * m_pitch;
    return {x, rank * height - m_scrollY, m_pitch - gapX, height - gapY};
}

CellRange GridGeometry::visibleSlots() const {
    const auto first = static_cast<qint64>(std::floor(m_firstSlot));
    const auto last = static_cast<qint64>(std::ceil(m_firstSlot + m_area.width() / m_pitch));
    return {std::clamp<qint64>(first, 0, m_slots), std::clamp<qint64>(last, 0, m_slots)};
}

CellRange GridGeometry::visibleRanks() const {
    const double height = rowHeight();
    const auto first = static_cast<qint64>(std::floor(m_scrollY / height));
    const auto last = static_cast<qint64>(std::ceil((m_scrollY + m_area.height()) / height));
    return {std::clamp<qint64>(first, 0, m_ranks), std::clamp<qint64>(last, 0, m_ranks)};
}

std::optional<GridCell> GridGeometry::cellAt(QPointF point) const {
    if (!QRectF(QPointF(), m_area).contains(point)) {
        return {};
    }
    const auto slot = static_cast<qint64>(std::floor(m_firstSlot + point.x() / m_pitch));
    const auto rank = static_cast<int>(std::floor((point.y() + m_scrollY) / rowHeight()));
    if (slot < 0 || slot >= m_slots || rank < 0 || rank >= m_ranks) {
        return {};
    }
    return GridCell{rank, slot};
}

void GridGeometry::zoomAt(QPointF anchor, double factor) {
    m_isAtStart = false;
    const double slot = m_firstSlot + anchor.x() / m_pitch;
    const double row = (m_scrollY + anchor.y()) / rowHeight();
    m_pitch = std::clamp(m_pitch * factor, smallestPitch(), kLargestPitch);
    m_firstSlot = slot - anchor.x() / m_pitch;
    m_scrollY = row * rowHeight() - anchor.y();
    clampView();
}

void GridGeometry::panBy(QPointF pixels) {
    m_isAtStart = false;
    m_firstSlot += pixels.x() / m_pitch;
    m_scrollY += pixels.y();
    clampView();
}

void GridGeometry::setFirstSlot(double slot) {
    m_isAtStart = false;
    m_firstSlot = slot;
    clampView();
}

void GridGeometry::copyView(const GridGeometry& other) {
    m_isAtStart = other.m_isAtStart;
    m_pitch = other.m_pitch;
    m_firstSlot = other.m_firstSlot;
    m_scrollY = other.m_scrollY;
    clampView();
}

void GridGeometry::setScrollY(double pixels) {
    m_scrollY = pixels;
    clampView();
}

void GridGeometry::fit() {
    m_isAtStart = false;
    m_pitch = smallestPitch();
    m_firstSlot = 0;
    clampView();
}

void GridGeometry::showSlots(CellRange span) {
    m_isAtStart = false;
    m_pitch = m_area.width() / static_cast<double>(std::max<qint64>(1, span.size()));
    m_firstSlot = static_cast<double>(span.first);
    clampView();
}

void GridGeometry::showStart() {
    // fits a whole number of cells into the width, so that no cell is cut at the right edge
    const double whole = std::max(1.0, std::ceil(m_area.width() / kLargestPitch));
    m_pitch =
        m_slots > static_cast<qint64>(whole) ? std::max(m_area.width() / whole, kSmallestHomePitch) : kLargestPitch;
    m_firstSlot = 0;
    m_scrollY = 0;
    m_isAtStart = true;
    clampView();
}

void GridGeometry::show(GridCell cell) {
    m_isAtStart = false;
    const double shownSlots = m_area.width() / m_pitch;
    const auto slot = static_cast<double>(cell.slot);
    if (slot < m_firstSlot || slot + 1 > m_firstSlot + shownSlots) {
        m_firstSlot = slot + 0.5 - shownSlots / 2;
    }
    const double top = cell.rank * rowHeight();
    if (top < m_scrollY || top + rowHeight() > m_scrollY + m_area.height()) {
        m_scrollY = top + (rowHeight() - m_area.height()) / 2;
    }
    clampView();
}

void GridGeometry::clampView() {
    m_pitch = std::clamp(m_pitch, smallestPitch(), kLargestPitch);
    m_firstSlot = std::clamp(m_firstSlot, 0.0, std::max(0.0, static_cast<double>(m_slots) - m_area.width() / m_pitch));
    m_scrollY = std::clamp(m_scrollY, 0.0, std::max(0.0, contentHeight() - m_area.height()));
}

}  // namespace ringside
