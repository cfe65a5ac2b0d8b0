// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// What the colours mean. In slow motion, and where a run is held between phases, the phases that ranks are in now are
// framed.
class PhaseLegend final : public QWidget {
    Q_OBJECT
  public:
    PhaseLegend(const TimelineModel& model, const Theme& theme, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    // Lit now; empty at full speed.
    std::vector<Phase> litPhases() const;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    std::vector<Phase> phases() const;
    int widthOf(Phase phase, int apart) const;  // with the room behind it
    int widthOfAll(int apart) const;
    int apartIn(int width) const;

    const TimelineModel& m_model;
    const Theme& m_theme;
};

}  // namespace ringside
