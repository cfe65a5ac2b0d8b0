// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "shards/cells/cell_painter.h"
#include "shards/grid/picture/grid_geometry.h"
#include "shards/watch/run_progress.h"

namespace ringside {

// Animation of the batches with which the ranks compute: the cards of a batch move to the rank when its forward pass
// begins, and their cells stay empty until the step has finished. Active in slow motion and while the user advances
// phase by phase; inactive at full speed.
class BatchFlight : public QObject {
    Q_OBJECT
  public:
    BatchFlight(const Theme& theme, QWidget& grid);

    void setProgress(const RunProgress& progress);
    bool isAnyComputing() const;
    CellRange computingSlots(int rank) const;  // returns the slots that the rank is computing with; empty: none

    // Draws the cells that the moved cards have left empty, in coordinates of the cells' area.
    void paintEmptiedCells(QPainter& painter, const GridGeometry& geometry) const;
    void paintCards(QPainter& painter, const CellPainter& cells, const GridGeometry& geometry) const;
    void showAt(double ms);  // shows the animation at this time of its clock; called by the timer and by tests
    bool isFlying() const { return m_timer.isActive(); }

  private:
    struct Batch {
        qint64 first = -1;  // position (slot) of the first sample of the batch; -1: there is no batch
        qint64 count = 0;
        double startMs = 0;  // time of the animation's clock, in milliseconds, at which the cards start to move
    };
    double travelled(const Batch& batch) const;  // returns how far the cards of the batch have moved: 0 at their cells,
                                                 // 1 at the name of the rank

    const Theme& m_theme;
    std::vector<Batch> m_batches;  // one batch for each rank
    double m_ms = 0;
    QElapsedTimer m_clock;
    QTimer m_timer;
};

}  // namespace ringside
