// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Chart of the memory in use during a training step, divided by use (parameters, gradients, ...), as the schedule
// predicts it. A line marks the memory allocated before the first step, measured or predicted. If several ranks do
// equal work, shows only the first of them.
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
