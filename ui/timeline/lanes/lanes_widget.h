// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "timeline/lanes/lanes_geometry.h"
#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// Lanes of the ranks on a common clock. Above kMostLanes ranks only the selected one and the latest one have lanes.
class LanesWidget final : public QWidget {
    Q_OBJECT
  public:
    static constexpr int kMostLanes = 16;

    LanesWidget(TimelineModel& model, const Theme& theme, QWidget* parent = nullptr);

    LanesGeometry geometryOfLanes() const;
    std::vector<int> shownRanks() const;
    QSize minimumSizeHint() const override { return {320, 120}; }
    // Returns a description of what is at `at`; empty if there is nothing.
    QString textAt(QPointF at) const;
    bool takeKey(const QKeyEvent& event);  // returns false if the key has no function here

  protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    const TracedStep* stepAt(QPointF at) const;
    void choose(QPointF at);

    TimelineModel& m_model;
    const Theme& m_theme;
    std::optional<QPointF> m_dragFrom;
    bool m_dragged = false;
};

}  // namespace ringside
