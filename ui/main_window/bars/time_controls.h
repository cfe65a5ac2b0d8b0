// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QObject>
#include <array>
#include <optional>

#include "launch/channels/control_command.h"

class QKeyEvent;

namespace ringside {

class RunController;
class RunModel;
struct WindowActions;

// Controls of a live run's speed: pause, step, single phase and slow motion. Updates the actions and sends their
// commands to the run.
class TimeControls final : public QObject {
    Q_OBJECT
  public:
    // Choices of the speed slider: maximum number of steps per second; 0: full speed.
    static constexpr std::array<double, 6> kSpeeds{0.5, 1, 2, 5, 20, 0};
    static constexpr int kFullSpeed = static_cast<int>(kSpeeds.size()) - 1;

    TimeControls(WindowActions& actions, RunController& controller, RunModel& run, QObject* parent = nullptr);

    // Returns a command for each choice in kSpeeds, for the command finder. `parent` owns the commands.
    QList<QAction*> speedCommands(QObject* parent);
    void setSpeed(int index);  // sets the maximum speed to kSpeeds[index] and sends it to a live run
    // Returns the maximum number of steps per second of the live run or, if no run is live, of the next run; 0: full
    // speed.
    double stepsPerSecond() const { return m_rate; }
    static QString speedText(double stepsPerSecond);
    // Triggers Pause for Space, Step for Right and Phase for Shift+Right. Returns false for other keys and if the
    // action is disabled.
    bool handleKey(const QKeyEvent& event);

  Q_SIGNALS:
    void speedChanged(double stepsPerSecond);

  private:
    void refresh();
    static void showReason(QAction& action, bool isWatched);
    void sendCommand(ControlKind kind, double value = 0);
    void sendRate(double rate);
    void followRate();
    bool wasAnswered() const;
    void showRate(double rate);
    bool isPaused() const;

    WindowActions& m_actions;
    RunController& m_controller;
    RunModel& m_run;
    double m_chosen = 0;                // maximum rate chosen in this window, in steps per second; 0: full speed
    double m_rate = 0;                  // maximum rate that is shown, in steps per second; 0: full speed
    std::optional<double> m_sentRate;   // maximum rate that was sent to the run and is not confirmed yet
    std::size_t m_confirmedBefore = 0;  // number of commands that the run had confirmed when m_sentRate was sent
    bool m_wasLive = false;
};

}  // namespace ringside
