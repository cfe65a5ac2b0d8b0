// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollBar>
#include <QWidget>
#include <optional>
#include <vector>

#include "shards/cells/cell_painter.h"

namespace ringside {

class Theme;

// A magnifier for the end of the epoch, where duplicates and dropped samples are: the last two cells of every rank
// while they are all in them, else every such sample, two in a row, to be scrolled.
class TailPanel : public QWidget {
    Q_OBJECT
  public:
    explicit TailPanel(Theme& theme, QWidget* parent = nullptr);

    void setScene(std::optional<ShardScene> scene);
    void setColorBy(ColorBy by);
    void setSelected(std::optional<LoomCell> cell);
    QString subtitle() const;
    std::vector<LoomCell> cellsInSight() const;

    QSize sizeHint() const override { return {168, 300}; }

  Q_SIGNALS:
    void cellClicked(ringside::LoomCell cell);
    void cellHovered(std::optional<ringside::LoomCell> cell);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    struct Placed {
        LoomCell cell;
        QRectF rect;
    };
    void restyle();
    void arrange();
    double rowHeight() const;
    int rowsInSight() const;
    std::vector<Placed> placedCells() const;
    std::optional<LoomCell> cellAt(QPointF point) const;
    void drawHead(QPainter& painter) const;

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    ColorBy m_by = ColorBy::Rank;
    Thumbnails m_thumbnails;
    std::optional<LoomCell> m_selected;
    qint64 m_marked = 0;        // duplicates and dropped samples of all ranks
    bool m_onlyMarked = false;  // they do not all fit into two cells for each rank
    QScrollBar m_scrollBar;
};

}  // namespace ringside
