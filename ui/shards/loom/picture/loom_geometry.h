// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QtGlobal>
#include <optional>

#include "shards/scene/loom_cell.h"

namespace ringside {

// How much of a sample fits into its cell; decided by the cell's pitch in pixels.
enum class CellDetail {
    Thumbnail,  // >= 48 px: picture, index and label
    Index,      // 16-48 px: colour and index
    Border,     // 4-16 px: colour and the border between batches
    Color,      // 1-4 px: colour
    Majority    // below 1 px: exact majority colour of the cells under a pixel
};

CellDetail cellDetail(double pitch);

// Which cell lies where: rows are ranks, columns are slots. Coordinates are pixels of the cells' area; zooming in
// widens the columns and, once they are wider than a row is high, the rows too.
class LoomGeometry {
  public:
    static constexpr double kLargestPitch = 62;
    static constexpr double kSmallestRow = 8;
    static constexpr double kLargestRow = 88;
    static constexpr double kSmallestCardRow = 48;  // a thumbnail and an index still fit
    static constexpr double kSmallestChipRow = 16;  // an index fits
    static constexpr double kSmallestCard = 48;     // width from which a cell shows a thumbnail
    static constexpr double kRowPerPitch = 1.4;     // height of a cell that shows a thumbnail, over its width

    void setShape(qint64 slots_, int ranks);
    void setArea(QSizeF area);

    qint64 slotCount() const { return m_slots; }
    int rankCount() const { return m_ranks; }
    QSizeF area() const { return m_area; }
    double pitch() const { return m_pitch; }
    double firstSlot() const { return m_firstSlot; }
    double scrollY() const { return m_scrollY; }
    double rowHeight() const;
    double contentHeight() const { return rowHeight() * m_ranks; }
    double smallestPitch() const;  // everything fits: in low rows too, as indices without their thumbnails
    CellDetail detail() const { return cellDetail(m_pitch); }

    QRectF cell(int rank, qint64 slot) const;  // without the gap to its neighbours
    CellRange visibleSlots() const;
    CellRange visibleRanks() const;
    std::optional<LoomCell> cellAt(QPointF point) const;

    void zoomAt(QPointF anchor, double factor);
    void panBy(QPointF pixels);  // positive: towards later slots and higher ranks
    void setFirstSlot(double slot);
    void setScrollY(double pixels);
    void fit();                                // the whole epoch
    void showSlots(CellRange span);            // as large as they all fit, from the left edge
    void home();                               // the first slots, as large as they get
    void lookLike(const LoomGeometry& other);  // the same zoom and place
    void show(LoomCell cell);                  // scrolls only when the cell is out of sight

  private:
    void clampView();

    qint64 m_slots = 0;
    int m_ranks = 0;
    QSizeF m_area{1, 1};
    double m_pitch = kLargestPitch;
    double m_firstSlot = 0;
    double m_scrollY = 0;
    bool m_atHome = false;  // nothing was moved since home(): another size goes home again
};

}  // namespace ringside
