// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <array>

#include "launch/channels/control_command.h"

class QKeyEvent;

namespace ringside {

class RunController;
class RunModel;
struct WindowActions;

// Pause, step, single phase and slow motion of the live run: what the actions say and may do, and what they tell it.
class TimeControls final : public QObject {
    Q_OBJECT
  public:
    // Steps a second at most, from slow motion to full speed (0).
    static constexpr std::array<double, 6> kSpeeds{0.5, 1, 2, 5, 20, 0};
    static constexpr int kFullSpeed = static_cast<int>(kSpeeds.size()) - 1;

    TimeControls(WindowActions& actions, RunController& controller, RunModel& run, QObject* parent = nullptr);

    void setSpeed(int index);  // of kSpeeds
    int speed() const { return m_speed; }
    static QString speedText(int index);
    // Space, Right and Shift+Right where no control of the window wanted them; false: not ours.
    bool handleKey(const QKeyEvent& event);

  Q_SIGNALS:
    void speedChanged(int index);

  private:
    void refresh();
    void tell(ControlKind kind, double value = 0);
    bool isPaused() const;

    WindowActions& m_actions;
    RunController& m_controller;
    RunModel& m_run;
    int m_speed = kFullSpeed;
    bool m_wasLive = false;
};

}  // namespace ringside
