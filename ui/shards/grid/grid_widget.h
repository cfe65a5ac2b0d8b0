// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QScrollBar>
#include <QWidget>
#include <optional>

#include "controls/cross_fade.h"
#include "identity/identity.h"
#include "shards/cells/thumbnails.h"
#include "shards/grid/motion/assignment_overlay.h"
#include "shards/grid/motion/batch_flight.h"
#include "shards/grid/picture/cell_differences.h"
#include "shards/grid/picture/grid_marks.h"
#include "shards/grid/picture/grid_raster.h"
#include "shards/scene/shard_view.h"
#include "shards/watch/run_progress.h"

namespace ringside {

class Theme;

// The grid: a row for each rank, a column for each slot, a cell for each sample. Wheel, W and S zoom; A, D and dragging
// pan; F fits the epoch; Home shows the first cells.
class GridWidget : public QWidget, public IdentitySource {
    Q_OBJECT
  public:
    explicit GridWidget(Theme& theme, QWidget* parent = nullptr);

    // Sets the scene. With origins, they determine the colours.
    void setScene(std::optional<ShardScene> scene, std::shared_ptr<const CellOrigins> origins = {});
    void forgetPictures() { m_raster.forget(); }  // frees pictures of other epochs
    void setColorBy(ColorBy by);
    void setSelected(std::optional<GridCell> cell);
    void setDifferences(std::shared_ptr<const CellDifferences> differences);  // marks these cells
    void setProgress(const RunProgress& progress);  // sets what a run has trained of the scene
    void setStep(std::optional<CellRange> slots_);  // frames these slots on all ranks
    std::optional<CellRange> step() const { return m_step; }
    void setHits(const Hits& hits);          // marks the matches of a search
    void copyView(const GridWidget& other);  // copies zoom and position; emits no signal
    void reveal(GridCell cell);              // scrolls until the cell is visible
    void setFirstSlot(double slot);
    void showSlots(CellRange span);  // with the largest zoom at which all fit
    // Animates how the visible samples are assigned to their ranks.
    void animateAssignment(AssignmentAnimation::Speed speed);
    void stopAnimation() { m_animation.stop(); }
    const AssignmentOverlay& animationOverlay() const { return m_animation; }
    void fit();
    void home();

    // Sample, rank, step and epoch of the cell.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    const GridGeometry& geometryOfCells() const { return m_geometry; }
    QRectF cellsArea() const;

    bool isSettled() const;                             // true if no worker is drawing
    qint64 cellsDrawn() const { return m_cellsDrawn; }  // number of samples that the last picture shows

    QSize sizeHint() const override { return {640, 380}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

  Q_SIGNALS:
    void viewChanged();
    void animationEnded();
    void animationAdvanced();
    void cellClicked(ringside::GridCell cell);
    void cellHovered(std::optional<ringside::GridCell> cell);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void restyle();
    void animateChange(const std::optional<ShardScene>& before);
    void changeView();
    void hover(std::optional<GridCell> cell);
    void moveSelection(int ranks, qint64 slots_);
    void drawRankNames(QPainter& painter) const;
    void drawRankNote(QPainter& painter, int rank, const QRectF& place) const;
    void drawSteps(QPainter& painter) const;
    void drawCells(QPainter& painter);
    void drawRaster(QPainter& painter);
    void drawStrips(QPainter& painter, const QImage& image, const RasterRequest& made) const;
    void drawGrid(QPainter& painter) const;
    void drawChunks(QPainter& painter) const;
    void drawMarks(QPainter& painter) const;
    void drawMark(QPainter& painter, int rank, const PlacedMark& mark) const;
    // Defined in grid_differences.cpp.
    void drawDifferences(QPainter& painter) const;
    void drawDifferenceStrips(QPainter& painter) const;
    void drawHits(QPainter& painter) const;
    void drawStep(QPainter& painter) const;
    void drawCursor(QPainter& painter, GridCell cell, const QColor& color, double width) const;

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    std::shared_ptr<const CellDifferences> m_differences;
    RunProgress m_progress;
    std::optional<CellRange> m_step;
    Hits m_hits;
    ColorBy m_by = ColorBy::Rank;
    std::shared_ptr<const CellOrigins> m_origins;
    GridGeometry m_geometry;
    GridRaster m_raster;
    Thumbnails m_thumbnails;
    AssignmentOverlay m_animation;
    BatchFlight m_flight;
    CrossFade m_fade;
    QImage m_fading;  // previous epoch, fading out
    RasterRequest m_fadingRequest;
    QElapsedTimer m_sinceEpoch;
    QScrollBar m_scrollBar;
    std::optional<GridCell> m_selected, m_hovered;
    std::optional<QPointF> m_dragFrom;
    bool m_dragged = false;
    qint64 m_cellsDrawn = 0;
};

}  // namespace ringside
