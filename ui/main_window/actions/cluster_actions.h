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

// Opens the dialogs of the menu commands Run > Launch, Invite ranks and Join, and reports the runs that these dialogs
// start, so that the main window shows them.
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
    void localRunWanted();
    void runBegan(const QString& directory);  // emitted when a run has begun and no other run is live in the window

  private:
    void launch();
    void invite();
    void join();
    void follow(const QString& directory);

    Dependencies m_dependencies;
    QWidget* m_window;
    QPointer<InviteDialog> m_inviteDialog;  // dialog "Invite ranks"; exists, but may be hidden, during its run
    QString m_nextRun;                      // directory of the run to show when the previous run has ended; empty: none
};

}  // namespace ringside
