// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/actions/pytorch_comparison_action.h"

#include "main_window/actions/window_actions.h"
#include "main_window/session/run_session.h"
#include "models/experiment_model.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "watch/pytorch_dialog.h"
#include "words/form_fields.h"

namespace ringside {

PytorchComparisonAction::PytorchComparisonAction(const Dependencies& dependencies, QWidget& window)
    : QObject(&window), m_in(dependencies), m_window(window) {
    connect(m_in.actions.comparePytorch, &QAction::triggered, this, &PytorchComparisonAction::compare);
    connect(&m_in.experiment, &ExperimentModel::configChanged, this, &PytorchComparisonAction::refresh);
    connect(&m_in.controller, &RunController::stateChanged, this, &PytorchComparisonAction::refresh);
    refresh();
}

// Returns the reason why no comparison can start now; empty if one can start.
QString PytorchComparisonAction::whyNot() const {
    if (m_in.controller.isLive()) return tr("A run is live: wait until it ends, or stop it first");
    if (m_in.experiment.config().dataset.kind == DatasetKind::kExternal)
        return tr("A watched script is shown: open a run of Ringside, or choose File > New experiment");
    if (!m_in.experiment.problems().empty())
        return inFormWords(QString::fromStdString(m_in.experiment.problems().front().text()));
    return {};
}

void PytorchComparisonAction::refresh() {
    const QString reason = whyNot();
    m_in.actions.comparePytorch->setEnabled(reason.isEmpty());
    m_in.actions.comparePytorch->setToolTip(
        reason.isEmpty() ? tr("Train the same experiment with PyTorch, and compare losses, samples and weights")
                         : reason);
}

// True if the shown run is finished, was trained by Ringside, and has the settings of the experiment form. The
// comparison then uses this run instead of training the experiment again.
bool PytorchComparisonAction::ownRunFits() const {
    const auto& ended = m_in.run.data().ended();
    return ended && ended->state == RunOutcome::kFinished && !m_in.run.isWatched() &&
           !m_in.session.directory().isEmpty() && m_in.session.changedSettings().isEmpty();
}

// Shows the dialog and starts a comparison. If a comparison is running already, only shows the dialog.
void PytorchComparisonAction::compare() {
    if (m_dialog == nullptr) {
        m_dialog = new PytorchDialog(m_in.controlProgram, m_in.settings, m_in.theme, &m_window);
        connect(m_dialog, &PytorchDialog::runWanted, &m_in.session,
                [this](const QString& run) { m_in.session.open(run, RunSession::AfterOpening::kShow); });
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
    if (m_dialog->isRunning()) return;
    m_dialog->setExperiment({m_in.experiment.resolvedConfig(), ownRunFits() ? m_in.session.directory() : QString()});
    m_dialog->start();
}

}  // namespace ringside
