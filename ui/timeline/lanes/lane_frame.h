// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <cstddef>
#include <optional>
#include <utility>

#include "models/rank_hosts.h"
#include "timeline/lanes/lanes_geometry.h"
#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// Draws the parts around the bars of the lanes: names of ranks, time axis, marks of shortened gaps, the selected step,
// arrows from late ranks to waiting ranks.
class LaneFrame {
  public:
    LaneFrame(QPainter& painter, const TimelineModel& model, const LanesGeometry& geometry, const Theme& theme)
        : m_painter(painter), m_model(model), m_geometry(geometry), m_theme(theme) {}

    void paintBehind();
    void paintBefore();

  private:
    void paintNames();
    void paintHosts();
    void paintLink(const HostGroup& group, const QRectF& row);
    void paintName(std::size_t index, double busiest);
    QString statusOf(int rank) const;
    void paintChosen();
    void paintAxis();
    std::optional<std::pair<double, double>> cutBefore(std::size_t stretch) const;
    void paintCuts();
    void paintCutTexts(bool ofPauses);
    void paintArrows();
    double x(std::int64_t ns) const { return m_geometry.xOf(m_model.clock().shownAt(ns)); }

    QPainter& m_painter;
    const TimelineModel& m_model;
    const LanesGeometry& m_geometry;
    const Theme& m_theme;
};

// Returns the time in milliseconds that a rank spent working, that is, in phases other than communication, idle and
// paused.
double busyMs(const RankTrace& rank);

}  // namespace ringside
