// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

#include "config/run_config.h"
#include "launch/channels/control_command.h"

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
    ~RunController() override;

    State state() const { return m_state; }
    bool isLive() const {
        return m_state == State::Starting || m_state == State::Running || m_state == State::Stopping;
    }
    QString runDirectory() const { return m_runDirectory; }
    QString message() const { return m_message; }  // the verdict, or why starting failed
    // A run that was live has failed, and is looked at for a while because it may go on with the ranks that are left.
    bool mayStartAgain() const { return m_wasLive && m_successor.isActive(); }

    void start(const RunConfig& config, const QString& runDirectory);  // an empty directory lets ringsidectl choose one
    void attach(const QString& runDirectory);                          // a live run, or a finished one to look at
    // The next run names every sample that its ranks train, whatever its speed.
    void reportSamplesOnce() { m_reportSamples = true; }
    void tell(const ControlCommand& command);  // a live run; lost where there is none
    void stop();                               // asks for a graceful stop
    void forget();                             // a run that is over: nothing is on screen any more
    void detach();                             // stops looking, at once or when the run is launched; the run goes on

  Q_SIGNALS:
    void stateChanged(ringside::RunController::State state);
    void mayStartAgainChanged(bool may);

  private:
    void beginAnew(const QString& runDirectory);
    QProcess* newProcess();
    void dropProcess(QProcess*& process);
    void failedToStart(const QProcess* process);
    void launched(int exitCode, QProcess::ExitStatus status);
    void follow(const QString& runDirectory);
    void sendStop();
    void readProgress();
    void viewerFinished(int exitCode, QProcess::ExitStatus status);
    void concludeViewer();
    void conclude();
    void awaitSuccessor();
    void lookForSuccessor();
    void forgetSuccessor();
    void deadlinePassed();
    void setState(State state, const QString& message = {});

    QString m_program;
    RunModel& m_model;
    QProcess* m_launcher = nullptr;
    QProcess* m_viewer = nullptr;
    State m_state = State::Idle;
    QString m_runDirectory;
    QString m_message;
    QTimer m_deadline;
    QTimer m_successor;  // looks whether a run that lost a rank goes on with those that are left
    int m_looks = 0;
    bool m_wasLive = false;  // when it was followed first
    bool m_stopWanted = false;
    bool m_detachWanted = false;  // by whoever could not wait for the launch
    bool m_reportSamples = false;
    bool m_viewerGone = false;  // its process ended, its last lines may still be decoded
    int m_viewerExit = 0;
    QString m_viewerProblem;
};

}  // namespace ringside
