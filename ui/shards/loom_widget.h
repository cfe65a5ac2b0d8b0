// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollBar>
#include <QWidget>
#include <optional>

#include "shards/loom_marks.h"
#include "shards/loom_raster.h"
#include "shards/thumbnails.h"

namespace ringside {

class Theme;

// The loom: a row for each rank, a column for each slot, a cell for each sample. Wheel, W and S zoom; A, D and dragging
// pan; F fits the epoch; Home shows the first cells.
class LoomWidget : public QWidget {
    Q_OBJECT
  public:
    explicit LoomWidget(Theme& theme, QWidget* parent = nullptr);

    void setScene(std::optional<ShardScene> scene);
    void setColorBy(ColorBy by);
    ColorBy colorBy() const { return m_by; }
    void setSelected(std::optional<LoomCell> cell);
    void setOther(std::optional<ShardPlan> other);  // marks the cells that hold another sample than this plan's
    void lookLike(const LoomWidget& other);         // the same zoom and place; tells nobody
    void reveal(LoomCell cell);                     // scrolls so that the cell is in sight
    void setFirstSlot(double slot);
    void fit();
    void home();

    const LoomGeometry& geometryOfCells() const { return m_geometry; }
    QRectF cellsArea() const;

    bool isSettled() const;                             // nothing is still being drawn on a worker
    qint64 cellsDrawn() const { return m_cellsDrawn; }  // samples that the last picture stands for

    QSize sizeHint() const override { return {640, 380}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

  Q_SIGNALS:
    void viewChanged();
    void cellClicked(ringside::LoomCell cell);
    void cellHovered(std::optional<ringside::LoomCell> cell);

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
    void changeView();
    void hover(std::optional<LoomCell> cell);
    void moveSelection(int ranks, qint64 slots_);
    void drawRankNames(QPainter& painter) const;
    void drawSteps(QPainter& painter) const;
    void drawCells(QPainter& painter);
    void drawRaster(QPainter& painter);
    void drawGrid(QPainter& painter) const;
    void drawMarks(QPainter& painter) const;
    void drawMark(QPainter& painter, int rank, const PlacedMark& mark) const;
    void drawDifferences(QPainter& painter) const;
    bool differs(int rank, qint64 slot) const;
    void drawCursor(QPainter& painter, LoomCell cell, const QColor& color, double width) const;

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    std::optional<ShardPlan> m_other;
    ColorBy m_by = ColorBy::Rank;
    LoomGeometry m_geometry;
    LoomRaster m_raster;
    Thumbnails m_thumbnails;
    QScrollBar m_scrollBar;
    std::optional<LoomCell> m_selected, m_hovered;
    std::optional<QPointF> m_dragFrom;
    bool m_dragged = false;
    qint64 m_cellsDrawn = 0;
};

}  // namespace ringside
