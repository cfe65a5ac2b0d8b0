// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QScrollBar>
#include <optional>

#include "controls/cross_fade.h"
#include "controls/picture.h"
#include "shards/cells/thumbnails.h"
#include "shards/grid/grid_painter.h"
#include "shards/grid/motion/assignment_overlay.h"
#include "shards/grid/motion/batch_flight.h"
#include "shards/grid/picture/grid_raster.h"
#include "shards/scene/shard_view.h"
#include "shards/watch/run_progress.h"

namespace ringside {

class Theme;

// The grid: a row for each rank, a column for each slot, a cell for each sample. GridNavigation moves the view.
// GridRaster draws cells without text, and GridPainter draws everything else.
class GridWidget : public Picture {
    Q_OBJECT
  public:
    explicit GridWidget(Theme& theme, QWidget* parent = nullptr);

    // Sets the scene. If `origins` are given, they determine the colours of the cells instead of setColorBy().
    void setScene(std::optional<ShardScene> scene, std::shared_ptr<const CellOrigins> origins = {});
    void clearCache() { m_raster.clearCache(); }  // frees pictures of other epochs
    void setColorBy(ColorBy by);
    void setSelected(std::optional<GridCell> cell);
    void setDifferences(std::shared_ptr<const CellDifferences> differences);  // marks the cells with differences
    void setProgress(const RunProgress& progress);  // sets which slots of the scene a run has trained
    void setStep(std::optional<CellRange> slots_);  // frames the slots on all ranks
    std::optional<CellRange> step() const { return m_contents.step; }
    void setHits(const Hits& hits);          // marks the matches of a search
    void copyView(const GridWidget& other);  // copies zoom and position of `other`; emits no signal
    void reveal(GridCell cell);              // scrolls until the cell is visible
    void setFirstSlot(double slot);
    void showSlots(CellRange span);  // shows the slots with the largest zoom at which all of them fit
    // Animates how the visible samples are assigned to their ranks.
    void animateAssignment(AssignmentAnimation::Speed speed);
    AssignmentOverlay& animation() { return m_animation; }
    void fit();
    void showStart();

    // Returns the sample, the rank, the step and the epoch of the cell at the point.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    const GridGeometry& geometryOfCells() const { return m_geometry; }
    QRectF cellsArea() const;

    bool isSettled() const;                             // returns true if no worker is drawing
    qint64 cellsDrawn() const { return m_cellsDrawn; }  // returns the number of samples that the last picture shows

    QSize sizeHint() const override { return {640, 380}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

  Q_SIGNALS:
    void viewChanged();
    void cellClicked(ringside::GridCell cell);
    void cellHovered(std::optional<ringside::GridCell> cell);

  protected:
    void restyle() override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void animateChange(const std::optional<ShardScene>& before);
    void changeView();
    void click(const QPointF& position);
    void hover(std::optional<QPointF> position);
    void moveSelection(int ranks, qint64 slotCount);
    // Returns the cell with a sample at a position of the cells' area; none if there is no sample.
    std::optional<GridCell> sampleAt(const QPointF& position) const;
    void drawCells(const GridPainter& grid, QPainter& painter);
    void drawRaster(const GridPainter& grid, QPainter& painter);

    GridContents m_contents;
    ColorBy m_by = ColorBy::Rank;
    std::shared_ptr<const CellOrigins> m_origins;
    GridGeometry m_geometry;
    GridRaster m_raster;
    Thumbnails m_thumbnails;
    AssignmentOverlay m_animation;
    BatchFlight m_flight;
    CrossFade m_fade;
    QImage m_fading;  // picture of the previous epoch, fading out
    RasterRequest m_fadingRequest;
    QElapsedTimer m_sinceEpoch;
    QScrollBar m_scrollBar;
    qint64 m_cellsDrawn = 0;
};

}  // namespace ringside
