// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Picture with one row per rank and one column per layer. Each cell shows whether the rank holds the layer's
// parameters, gradients and optimizer state, completely or as a shard.
class PlacementCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit PlacementCanvas(Theme& theme, QWidget* parent = nullptr);

  protected:
    void draw(QPainter& painter) override;
    void sceneChanged() override;
    void motionChanged() override;

  private:
    struct Column {
        std::size_t layer;
        QString title;
        QString place;
    };
    std::vector<Column> columns() const;
    QRectF cell(int rank, std::size_t column) const;
    double rowHeight() const;
    double namesWidth() const;
    void drawHeads(QPainter& painter, const std::vector<Column>& columns) const;
    void drawRow(QPainter& painter, int rank, const std::vector<Column>& columns);
    void drawHeld(QPainter& painter, const QRectF& box, int rank, bool gathered) const;
    int m_columns = 1;
    std::vector<bool> m_gathered;  // for each unit (layers that are gathered together): true while its parameters are
                                   // gathered in the animated step
};

}  // namespace ringside
