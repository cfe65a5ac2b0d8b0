// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <array>
#include <map>
#include <optional>

#include "controls/picture.h"
#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// Strip with the time of every traced step, stacked by phase, as the mean of the ranks. A frame that can be dragged
// marks the steps that the lanes show.
class StepStrip final : public Picture {
    Q_OBJECT
  public:
    StepStrip(TimelineModel& model, const Theme& theme, QWidget* parent = nullptr);

    // Returns the first step after a clear change of the step time; empty if there is none.
    std::optional<std::int64_t> changePoint() const { return m_changePoint; }
    // Returns the x position of the middle of a step's bar, in pixels.
    double xOf(std::int64_t step) const;
    // Returns the time that a bar of full height represents, in nanoseconds.
    double fullNs() const { return m_fullNs; }
    QSize minimumSizeHint() const override { return {200, 70}; }
    QSize sizeHint() const override { return {400, 84}; }

    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  protected:
    void restyle() override { draw(); }
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

  private:
    struct Bar {
        int known = 0;
        std::array<float, kPhaseCount> ns{};
        float whole = 0;   // length of the step in nanoseconds, without the pause
        float paused = 0;  // pause within the step in nanoseconds
    };
    void read();
    void draw();
    QRectF window() const;
    void paintPauses(QPainter& painter) const;
    void moveWindow(double x);
    std::optional<std::int64_t> findChangePoint() const;
    double highest() const;
    QString scaleText() const;

    TimelineModel& m_model;
    std::map<std::int64_t, Bar> m_bars;
    QImage m_image;
    double m_fullNs = 1;
    bool m_isCut = false;  // true if a bar is higher than the strip
    std::optional<std::int64_t> m_changePoint;
};

}  // namespace ringside
