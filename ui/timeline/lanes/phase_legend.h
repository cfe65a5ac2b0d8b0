// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// Legend of the phase colours. In slow motion, and while a run is paused between phases, the current phases of the
// ranks are framed.
class PhaseLegend final : public QWidget {
    Q_OBJECT
  public:
    PhaseLegend(const TimelineModel& model, const Theme& theme, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    // Returns the framed phases; empty at full speed.
    std::vector<Phase> litPhases() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    std::vector<Phase> phases() const;
    // Returns the width of the phase's entry, including the distance to the next phase.
    int widthOf(Phase phase, int apart) const;
    int widthOfAll(int apart) const;
    std::vector<std::pair<Phase, QRect>> placedIn(int width) const;

    const TimelineModel& m_model;
    const Theme& m_theme;
    int m_wholeWidth = 0;  // width of all entries in one row
};

}  // namespace ringside
