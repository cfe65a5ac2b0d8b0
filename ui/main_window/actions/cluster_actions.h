// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>

class QWidget;

namespace ringside {

class Dialogs;
class ExperimentModel;
class InviteDialog;
class RunController;
struct WindowActions;

// Run > Launch, Invite ranks and Join: opens their dialogs, and shows in the main window the runs that these dialogs
// start.
class ClusterActions final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        ExperimentModel& experiment;
        RunController& controller;
        Dialogs& dialogs;
        QString controlProgram;
    };
    // All arguments must outlive this object.
    ClusterActions(const WindowActions& actions, const Dependencies& dependencies, QWidget* window);

  Q_SIGNALS:
    void runHere();
    void runBegan(const QString& directory);  // emitted when a run has begun and no other run is live

  private:
    void launch();
    void invite();
    void join();
    void follow(const QString& directory);

    Dependencies m_dependencies;
    QWidget* m_window;
    QPointer<InviteDialog> m_inviteDialog;  // dialog Invite ranks, which is hidden during a run
    QString m_nextRun;                      // directory of a run to show after the previous one has ended
};

}  // namespace ringside
