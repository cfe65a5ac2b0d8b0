// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/actions/cluster_actions.h"

#include <utility>

#include "cluster/invite_dialog.h"
#include "cluster/join_dialog.h"
#include "cluster/launch_dialog.h"
#include "main_window/actions/window_actions.h"
#include "models/run_controller.h"

namespace ringside {

ClusterActions::ClusterActions(const WindowActions& actions, const Dependencies& dependencies, QWidget* window)
    : QObject(window), m_dependencies(dependencies), m_window(window) {
    connect(actions.launch, &QAction::triggered, this, &ClusterActions::launch);
    connect(actions.invite, &QAction::triggered, this, &ClusterActions::invite);
    connect(actions.join, &QAction::triggered, this, &ClusterActions::join);
    connect(&dependencies.controller, &RunController::stateChanged, this, [this] {
        if (!m_nextRun.isEmpty() && !m_dependencies.controller.isLive())
            QMetaObject::invokeMethod(
                this, [this] { follow(std::exchange(m_nextRun, {})); }, Qt::QueuedConnection);
    });
}

void ClusterActions::launch() {
    auto* dialog =
        new LaunchDialog(m_dependencies.experiment, m_dependencies.dialogs, m_dependencies.controlProgram, m_window);
    connect(dialog, &LaunchDialog::localRunWanted, this, &ClusterActions::localRunWanted);
    connect(dialog, &LaunchDialog::runBegan, this, &ClusterActions::follow);
    dialog->show();
}

void ClusterActions::invite() {
    if (!m_inviteDialog) {
        m_inviteDialog = new InviteDialog(m_dependencies.experiment, m_dependencies.controlProgram, m_window);
        connect(m_inviteDialog, &InviteDialog::runBegan, this, &ClusterActions::follow);
    }
    m_inviteDialog->show();
    m_inviteDialog->raise();
    m_inviteDialog->activateWindow();
}

void ClusterActions::join() {
    (new JoinDialog(m_dependencies.controlProgram, m_window))->show();
}

// Emits runBegan() for the run in `directory`, which a classroom has started. If the previous run is still live in this
// window, emits the signal when the previous run has ended. This happens after a failure, when the classroom starts the
// next run before the window has read the end of the failed run.
void ClusterActions::follow(const QString& directory) {
    if (directory.isEmpty()) return;
    if (m_dependencies.controller.isLive()) {
        m_nextRun = directory;
    } else {
        Q_EMIT runBegan(directory);
    }
}

}  // namespace ringside
