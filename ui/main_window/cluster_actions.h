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

// Run > Launch, Invite ranks and Join: opens their dialogs, and brings the runs that they begin to the window.
class ClusterActions final : public QObject {
    Q_OBJECT
  public:
    struct Parts {
        ExperimentModel& experiment;
        RunController& controller;
        Dialogs& dialogs;
        QString controlProgram;
    };
    // All of it outlives this.
    ClusterActions(const WindowActions& actions, const Parts& parts, QWidget* window);

  Q_SIGNALS:
    void runHere();
    void runBegan(const QString& directory);  // when no other run is live any more

  private:
    void launch();
    void invite();
    void join();
    void follow(const QString& directory);

    Parts m_parts;
    QWidget* m_window;
    QPointer<InviteDialog> m_class;  // one at a time: hidden while its run goes on
    QString m_awaited;               // a run to follow once the one before it is over
};

}  // namespace ringside
