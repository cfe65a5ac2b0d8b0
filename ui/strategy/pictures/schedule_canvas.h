// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/schedule_lanes.h"
#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Picture of the planned schedule and, below it, the schedule as the ranks ran it. Blocks have the number and the
// colour of their micro-batch; time without a block is hatched.
class ScheduleCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit ScheduleCanvas(Theme& theme, QWidget* parent = nullptr);

    const std::vector<LaneGroup>& groups() const { return m_groups; }
    const std::vector<std::optional<double>>& moments() const { return m_moments; }
    // Returns the meaning of the rows, the colours and the hatching.
    QString legendText() const;

  protected:
    void draw(QPainter& painter) override;
    void sceneChanged() override;
    void motionChanged() override;

  private:
    int laneCount() const;
    void drawNow(QPainter& painter, const LaneGroup& group, std::size_t lane, const QRectF& row) const;
    void drawGroup(QPainter& painter, const LaneGroup& group, double top, double laneHeight);
    void drawBlock(QPainter& painter, const LaneBlock& block, const QRectF& box);
    QColor colorOf(const LaneBlock& block) const;
    void drawLegend(QPainter& painter);

    std::vector<LaneGroup> m_groups;
    // present position of each rank in the planned schedule; empty if unknown
    std::vector<std::optional<double>> m_moments;
};

}  // namespace ringside
