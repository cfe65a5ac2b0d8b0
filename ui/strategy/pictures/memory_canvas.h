// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Bar chart of the memory of each rank by use: filled if measured, outlined if predicted, with a line at the limit.
class MemoryCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit MemoryCanvas(Theme& theme, QWidget* parent = nullptr);

    // Returns the bytes of a rank by use, in the order of memoryColor(); measured if available, otherwise predicted.
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
