// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "shards/cells/cell_painter.h"
#include "shards/loom/picture/loom_geometry.h"
#include "shards/watch/run_progress.h"

namespace ringside {

// In slow motion and single phases the batch that a rank computes with is not in the loom: its cards fly to the rank
// when forward begins and leave holes until the step is done. At full speed there is nothing to do.
class BatchFlight : public QObject {
    Q_OBJECT
  public:
    BatchFlight(const Theme& theme, QWidget& loom);

    void setProgress(const RunProgress& progress);
    bool isAnyTaken() const;
    CellRange taken(int rank) const;  // its slots that are with the rank; empty: none

    // In the coordinates of the cells' area.
    void paintHoles(QPainter& painter, const LoomGeometry& geometry) const;
    void paintCards(QPainter& painter, const CellPainter& cells, const LoomGeometry& geometry) const;
    void showAt(double ms);  // the clock's doing; public for tests
    bool isFlying() const { return m_timer.isActive(); }

  private:
    struct Batch {
        qint64 first = -1;  // slot; -1: none was taken
        qint64 count = 0;
        double startMs = 0;  // of its flight
    };
    double travelled(const Batch& batch) const;  // 1: it is there

    const Theme& m_theme;
    std::vector<Batch> m_batches;  // by rank
    double m_ms = 0;
    QElapsedTimer m_clock;
    QTimer m_timer;
};

}  // namespace ringside
