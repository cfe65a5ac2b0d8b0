// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

#include "config/run_config.h"
#include "launch/channels/control_command.h"
#include "models/watch_process.h"

namespace ringside {

class RunModel;

// Starts, follows and stops one training run through child processes of ringsidectl. All parts of the window read the
// state of the run from this class.
class RunController : public QObject {
    Q_OBJECT
  public:
    enum class State { Idle, Starting, Running, Stopping, Finished, Stopped, Failed };
    Q_ENUM(State)

    // `controlProgram` is the path of ringsidectl.
    RunController(const QString& controlProgram, RunModel& model, QObject* parent = nullptr);
    ~RunController() override;

    State state() const { return m_state; }
    bool isLive() const {
        return m_state == State::Starting || m_state == State::Running || m_state == State::Stopping;
    }
    QString runDirectory() const { return m_runDirectory; }
    QString message() const {
        return m_message;
    }  // returns one sentence about the state, such as how the run ended or why it failed
    // True while the controller checks whether a failed run, which was live in this window, restarts with the remaining
    // ranks.
    bool mayStartAgain() const { return m_wasLive && m_restartTimer.isActive(); }

    // Starts a run; if the directory is empty, ringsidectl chooses one.
    void start(const RunConfig& config, const QString& runDirectory);
    void attach(const QString& runDirectory);  // opens a live or finished run
    void watch(const WatchRequest& request);   // starts a watched PyTorch script and follows its run
    // Makes the next run report the samples of each step, even if its steps are short.
    void reportSamplesOnce() { m_reportSamples = true; }
    void sendCommand(const ControlCommand& command);  // sends a command to a live run; ignored without one
    // Requests the end of the run. A Ringside run stops after the current step; a watched script gets SIGTERM.
    void stop();
    void close();  // closes a run that is over
    // Stops following the run, which continues. A run that is being started is followed until it has started.
    void detach();

  Q_SIGNALS:
    void stateChanged(ringside::RunController::State state);
    void mayStartAgainChanged(bool may);

  private:
    void resetForRun(const QString& runDirectory);
    QProcess* newProcess();
    void dropProcess(QProcess*& process);
    void failedToStart(const QProcess* process);
    void watchEnded(const QString& why);
    void dropWatcher();
    void handleLauncherExit(int exitCode, QProcess::ExitStatus status);
    void followRun(const QString& runDirectory);
    void sendStop();
    void readProgress();
    void viewerFinished(int exitCode, QProcess::ExitStatus status);
    void concludeViewer();
    void conclude();
    void startRestartChecks();
    void checkForRestart();
    void stopRestartChecks();
    void deadlinePassed();
    void setState(State state, const QString& message = {});

    QString m_program;
    RunModel& m_model;
    QProcess* m_launcher = nullptr;
    QProcess* m_viewer = nullptr;
    WatchProcess* m_watcher = nullptr;  // command that watches a script and has not recorded anything yet; null: none
    State m_state = State::Idle;
    QString m_runDirectory;
    QString m_message;
    QTimer m_deadline;
    QTimer m_restartTimer;  // timer of the checks whether a failed run restarts with the remaining ranks
    int m_restartChecks = 0;
    bool m_wasLive = false;  // true if the run was live when this window began to follow it
    bool m_stopWanted = false;
    bool m_detachWanted = false;  // true if detach() was called during the launch
    bool m_reportSamples = false;
    bool m_viewerGone = false;  // true if the process that follows the run has ended and the model may not have decoded
                                // its last lines yet
    int m_viewerExit = 0;
    QString m_viewerProblem;
};

}  // namespace ringside
