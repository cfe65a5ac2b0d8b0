// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QtGlobal>
#include <optional>

#include "shards/scene/grid_cell.h"

namespace ringside {

// Level of detail in which a cell is drawn. It depends on the zoom, the width of a slot in pixels.
enum class CellDetail {
    Thumbnail,  // zoom from 48 px: picture, index and label
    Index,      // zoom from 16 to 48 px: colour and index
    Border,     // zoom from 4 to 16 px: colour and the border between batches
    Color,      // zoom from 1 to 4 px: colour
    Majority    // zoom below 1 px: exact majority colour of the cells under a pixel
};

CellDetail cellDetail(double pitch);

// Positions of the cells in the grid: rows are ranks, columns are slots. Coordinates are pixels of the cells' area.
// Zooming in makes columns wider. As soon as a column is wider than a row is high, the rows also become higher.
class GridGeometry {
  public:
    static constexpr double kLargestPitch = 62;
    static constexpr double kSmallestRow = 8;
    static constexpr double kLargestRow = 88;
    static constexpr double kSmallestCardRow = 48;  // minimum height of a row with a thumbnail and an index, in pixels
    static constexpr double kSmallestChipRow = 16;  // minimum height of a row with an index, in pixels
    static constexpr double kSmallestCard = 48;     // minimum width of a cell with a thumbnail, in pixels
    // Minimum height of a row divided by the width of a cell. Used if not all rows fit at a readable height.
    static constexpr double kRowPerPitch = 1.4;

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
    // Returns the zoom, in pixels for each slot, at which the whole epoch fits. If rows are too low for thumbnails, the
    // zoom is at most that of cells with an index only.
    double smallestPitch() const;
    CellDetail detail() const { return cellDetail(m_pitch); }

    QRectF cell(int rank, qint64 slot) const;  // returns the rectangle of the cell, without the gap to its neighbours
    CellRange visibleSlots() const;
    CellRange visibleRanks() const;
    std::optional<GridCell> cellAt(QPointF point) const;

    void zoomAt(QPointF anchor, double factor);
    void panBy(QPointF pixels);  // moves the view; positive: towards later slots and higher ranks
    void setFirstSlot(double slot);
    void setScrollY(double pixels);
    void fit();                                // sets the zoom so that the whole epoch is visible
    void showSlots(CellRange span);            // shows the slots with the largest zoom at which all of them fit
    void showStart();                          // shows the first slots at the largest zoom
    void copyView(const GridGeometry& other);  // copies zoom and position of `other`
    void show(GridCell cell);                  // scrolls to the cell if it is not visible

  private:
    void clampView();

    qint64 m_slots = 0;
    int m_ranks = 0;
    QSizeF m_area{1, 1};
    double m_pitch = kLargestPitch;
    double m_firstSlot = 0;
    double m_scrollY = 0;
    bool m_isAtStart = false;  // true if the view has not moved since the call of showStart(); showStart() is then
                               // called again when the size changes
};

}  // namespace ringside
