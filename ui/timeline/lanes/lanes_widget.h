// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "controls/picture.h"
#include "timeline/lanes/lanes_geometry.h"
#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// Picture with a lane for each rank; all lanes have the same time axis. If there are more than kMaxLanes (16) ranks,
// only the chosen rank and the rank that arrives last are shown.
class LanesWidget final : public Picture {
    Q_OBJECT
  public:
    static constexpr int kMaxLanes = 16;

    LanesWidget(TimelineModel& model, const Theme& theme, QWidget* parent = nullptr);

    LanesGeometry geometryOfLanes() const;
    std::vector<int> shownRanks() const;
    QSize minimumSizeHint() const override { return {320, 120}; }
    // Returns what is drawn at `point`: the step, the rank and, if the rank is in a collective there, the collective.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    // Returns a description of what is drawn at `at`, or an empty text.
    QString textAt(QPointF at) const;
    bool handleKey(const QKeyEvent& event);  // handles the key; returns false if it has no function here

  protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    Tip tipAt(const QPoint& point) const override;

  private:
    const TracedStep* stepAt(QPointF at) const;
    void chooseStepAt(QPointF at);

    TimelineModel& m_model;
    std::optional<QPointF> m_dragFrom;
    bool m_dragged = false;
};

}  // namespace ringside
