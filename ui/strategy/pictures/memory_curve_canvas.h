// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Chart of the memory in use during a step by use, according to the schedule; a line shows the allocated memory,
// measured or predicted. Shows only the first of several ranks with equal work.
class MemoryCurveCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit MemoryCurveCanvas(Theme& theme, QWidget* parent = nullptr);

  protected:
    void draw(QPainter& painter) override;
    void sceneChanged() override;

  private:
    QRectF plotOf(std::size_t place, std::size_t count) const;
    void drawPlot(QPainter& painter, int rank, const QRectF& plot, double most);
    void drawLegend(QPainter& painter) const;
};

}  // namespace ringside
