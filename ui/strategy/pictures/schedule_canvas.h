// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/schedule_lanes.h"
#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// The schedule as planned, and under it what the ranks did: micro-batches by number and colour, idle time hatched.
class ScheduleCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit ScheduleCanvas(Theme& theme, QWidget* parent = nullptr);

    const std::vector<LaneGroup>& groups() const { return m_groups; }

  protected:
    void draw(QPainter& painter) override;
    void sceneChanged() override;

  private:
    int laneCount() const;
    void drawGroup(QPainter& painter, const LaneGroup& group, double top, double lane);
    void drawBlock(QPainter& painter, const LaneBlock& block, const QRectF& box);
    QColor colorOf(const LaneBlock& block) const;
    void drawLegend(QPainter& painter) const;

    std::vector<LaneGroup> m_groups;
};

}  // namespace ringside
