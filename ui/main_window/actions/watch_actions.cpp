// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/actions/watch_actions.h"

#include <QDesktopServices>
#include <QLayout>
#include <QUrl>

#include "main_window/actions/window_actions.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "training/training_page.h"
#include "watch/findings_panel.h"
#include "watch/watch_dialog.h"
#include "watch/watched_script_panel.h"

namespace ringside {

WatchActions::WatchActions(const WindowActions& actions, const Dependencies& dependencies, QWidget* window)
    : QObject(window), m_dependencies(dependencies), m_window(window) {
    connect(actions.watch, &QAction::triggered, this, [this] { openDialog(); });
}

void WatchActions::addPanel(QWidget& frame, QWidget* form) {
    m_panel = new WatchedScriptPanel(m_dependencies.run, m_dependencies.controller, &frame);
    frame.layout()->addWidget(m_panel);
    m_panel->replace(form);
    connect(m_panel, &WatchedScriptPanel::watchWanted, this, [this](const WatchedCommand& command, bool isCheck) {
        Q_EMIT watchWanted({command.words, command.folder,
                            command.script.isEmpty() ? command.words.first() : command.script, isCheck});
    });
    connect(m_panel, &WatchedScriptPanel::outputWanted, this,
            [](const QString& file) { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
}

void WatchActions::addFindings(TrainingPage& page) {
    auto* findings = new FindingsPanel(m_dependencies.run, m_dependencies.theme);
    connect(findings, &FindingsPanel::failed, this, &WatchActions::failed);
    page.setFindings(findings);
}

void WatchActions::openDialog(const QString& script) {
    auto* dialog = m_window->findChild<WatchDialog*>();
    if (dialog == nullptr) {
        dialog = new WatchDialog(m_dependencies.controller, m_dependencies.settings, m_dependencies.dialogs, script,
                                 m_window);
        connect(dialog, &WatchDialog::watchWanted, this, &WatchActions::watchWanted);
    } else if (!script.isEmpty()) {
        dialog->setScript(script);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void WatchActions::showExperimentForm() {
    if (m_panel != nullptr) m_panel->dismiss();
}

}  // namespace ringside
