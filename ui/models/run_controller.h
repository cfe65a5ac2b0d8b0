// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>

#include "config/run_config.h"

namespace ringside {

class RunModel;

// Starts, follows and stops one run through ringsidectl; the only place the GUI learns a run's state.
class RunController : public QObject {
    Q_OBJECT
  public:
    enum class State { Idle, Starting, Running, Stopping, Finished, Stopped, Failed };
    Q_ENUM(State)

    // controlProgram: path of ringsidectl.
    RunController(const QString& controlProgram, RunModel& model, QObject* parent = nullptr);

    State state() const { return m_state; }
    bool isLive() const { return m_state == State::Starting || m_state == State::Running || m_state == State::Stopping; }
    QString runDirectory() const { return m_runDirectory; }
    QString message() const { return m_message; }  // the verdict, or why starting failed

    void start(const RunConfig& config, const QString& runDirectory);  // ringsidectl run - --detach, then attach
    void attach(const QString& runDirectory);  // a live run, or a finished one to look at
    void stop();                               // asks for a graceful stop

  Q_SIGNALS:
    void stateChanged(ringside::RunController::State state);

  private:
    void setState(State state, const QString& message = {});
    void follow(const QString& runDirectory);

    QString m_program;
    RunModel& m_model;
    QProcess* m_launcher = nullptr;
    QProcess* m_viewer = nullptr;
    State m_state = State::Idle;
    QString m_runDirectory;
    QString m_message;
};

}  // namespace ringside
