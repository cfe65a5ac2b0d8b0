// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollBar>
#include <optional>
#include <vector>

#include "controls/picture.h"
#include "shards/cells/cell_painter.h"

namespace ringside {

class Theme;

// Magnified end of the epoch. If the last two cells of each rank contain all duplicates and dropped samples, shows
// these cells. Otherwise shows only the duplicates and dropped samples, two per row, with a scroll bar.
class LastSlotsPanel : public Picture {
    Q_OBJECT
  public:
    explicit LastSlotsPanel(Theme& theme, QWidget* parent = nullptr);

    void setScene(std::optional<ShardScene> scene);
    void setColorBy(ColorBy by);
    void setSelected(std::optional<GridCell> cell);
    QString subtitle(const QFontMetrics& metrics, double width) const;
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

    QSize sizeHint() const override { return {168, 300}; }

  Q_SIGNALS:
    void cellClicked(ringside::GridCell cell);
    void cellHovered(std::optional<ringside::GridCell> cell);

  protected:
    void restyle() override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    struct Placed {
        GridCell cell;
        QRectF rect;
    };
    void arrange();
    double rowHeight() const;
    int rowsInSight() const;
    std::vector<Placed> placedCells() const;
    std::optional<GridCell> cellAt(QPointF point) const;
    void drawHead(QPainter& painter) const;

    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    ColorBy m_by = ColorBy::Rank;
    Thumbnails m_thumbnails;
    std::optional<GridCell> m_selected;
    qint64 m_marked = 0;        // number of duplicates and dropped samples of all ranks
    bool m_onlyMarked = false;  // true if the marked samples do not fit into two cells per rank
    QScrollBar m_scrollBar;
};

}  // namespace ringside
