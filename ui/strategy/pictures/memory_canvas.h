// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Bar chart of the memory of each rank, divided by use (parameters, gradients, ...). Bars are filled if measured and
// outlined if predicted; a line marks the memory limit.
class MemoryCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit MemoryCanvas(Theme& theme, QWidget* parent = nullptr);

    // Returns the bytes of a rank for each use, in the order of memoryColor(): measured bytes if available, otherwise
    // predicted bytes.
    static std::vector<std::int64_t> parts(const StrategyScene& scene, int rank);
    static bool isMeasured(const StrategyScene& scene) { return scene.ran && !scene.ran->memory.empty(); }
    static QStringList partNames();

  protected:
    void draw(QPainter& painter) override;
    void sceneChanged() override;

  private:
    void drawRank(QPainter& painter, int rank, double scale);
    void drawLegend(QPainter& painter);
    void drawLimit(QPainter& painter, double scale);
    double barWidth() const;
    double rowHeight() const;
};

}  // namespace ringside
