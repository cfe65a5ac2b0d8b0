// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QMenuBar>
#include <QPushButton>
#include <QSlider>

#include "controls/elided_label.h"

namespace ringside {

class PlanModel;
class Theme;
struct WindowActions;

// Bar at the top of the window: name, menus, run controls, epoch slider, theme.
class TopBar final : public QFrame {
    Q_OBJECT
  public:
    TopBar(const WindowActions& actions, PlanModel& plan, const Theme& theme, QWidget* parent = nullptr);

    // Sets the reason why Run is disabled, shown next to the button; empty if it is enabled.
    void setRunBlocked(const QString& reason);
    void refreshEpochs();

    // Shows the nearest of TimeControls::kSpeeds; 0 is full speed.
    void setSpeed(double stepsPerSecond);

  Q_SIGNALS:
    void speedChosen(int index);
    void reasonClicked();

  private:
    void addWidgets(const WindowActions& actions);
    QPushButton* addButton(QAction* action, const QString& name);
    void addEpochCursor();
    void addSpeed();

    PlanModel& m_plan;
    const Theme& m_theme;
    ElidedLabel* m_reason = nullptr;
    QLabel* m_speedCaption = nullptr;
    QSlider* m_speed = nullptr;
    QLabel* m_speedText = nullptr;
    QSlider* m_epoch = nullptr;
    QLabel* m_epochText = nullptr;
};

}  // namespace ringside
