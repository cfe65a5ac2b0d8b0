// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// A bar for each rank: filled as measured, outlined as predicted, by what the memory is for; the limit as a line.
class MemoryCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit MemoryCanvas(Theme& theme, QWidget* parent = nullptr);

    // By what it is for, in the order of memoryColor(); a rank's as measured where it was.
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
