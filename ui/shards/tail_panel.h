// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "shards/cell_painter.h"

namespace ringside {

class Theme;

// A magnifier for the end of the epoch, where duplicates and dropped samples are: the last cells of every rank, or of
// the ranks that have such a sample when there is no room for all.
class TailPanel : public QWidget {
    Q_OBJECT
  public:
    explicit TailPanel(Theme& theme, QWidget* parent = nullptr);

    void setScene(std::optional<ShardScene> scene);
    void setColorBy(ColorBy by);
    void setSelected(std::optional<LoomCell> cell);

    QSize sizeHint() const override { return {168, 300}; }

  Q_SIGNALS:
    void cellClicked(ringside::LoomCell cell);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Placed {
        LoomCell cell;
        QRectF rect;
    };
    void restyle();
    std::vector<int> shownRanks(int room) const;
    std::vector<Placed> placedCells() const;
    const Placed* cellAt(QPointF point, const std::vector<Placed>& cells) const;
    QString subtitle() const;

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    ColorBy m_by = ColorBy::Rank;
    Thumbnails m_thumbnails;
    std::optional<LoomCell> m_selected;
};

// Ranks whose last column holds a duplicate or a dropped sample.
std::vector<int> markedRanks(const ShardPlan& plan, qint64 columns);

}  // namespace ringside
