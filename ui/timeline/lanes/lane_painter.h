// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>

#include "timeline/lanes/lanes_geometry.h"
#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// Draws the bars of the lanes. If a step is at least 30 pixels wide, or if at most 4 steps are visible, each span of a
// rank in a phase is a bar. Otherwise each pixel column is a stack of the times in all phases. Draws only the visible
// part.
class LanePainter {
  public:
    LanePainter(QPainter& painter, const TimelineModel& model, const LanesGeometry& geometry, const Theme& theme)
        : m_painter(painter), m_model(model), m_geometry(geometry), m_theme(theme) {}

    void paint();

  private:
    void paintStacks(std::int64_t first, std::int64_t last);
    void paintStep(const TracedStep& step);
    void paintLane(const TracedStep& step, std::size_t index);
    void paintSpan(const LaneSpan& span, const QRectF& bar);
    void paintLabel(const LaneSpan& span, const QRectF& rect);
    void paintCollectives(const TracedStep& step, std::size_t index);
    void paintOpen();
    double x(std::int64_t ns) const { return m_geometry.xOf(m_model.clock().shownAt(ns)); }

    QPainter& m_painter;
    const TimelineModel& m_model;
    const LanesGeometry& m_geometry;
    const Theme& m_theme;
};

}  // namespace ringside
