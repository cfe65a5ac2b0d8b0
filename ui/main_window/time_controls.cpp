// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/time_controls.h"

#include <QKeyEvent>

#include "main_window/window_actions.h"
#include "models/run_controller.h"
#include "models/run_model.h"

namespace ringside {

TimeControls::TimeControls(WindowActions& actions, RunController& controller, RunModel& run, QObject* parent)
    : QObject(parent), m_actions(actions), m_controller(controller), m_run(run) {
    connect(actions.pause, &QAction::triggered, this,
            [this] { tell(isPaused() ? ControlKind::kResume : ControlKind::kPause); });
    connect(actions.step, &QAction::triggered, this, [this] { tell(ControlKind::kStep, 1); });
    connect(actions.phase, &QAction::triggered, this, [this] { tell(ControlKind::kPhase); });
    connect(actions.saveNow, &QAction::triggered, this, [this] { tell(ControlKind::kCheckpoint); });
    connect(&controller, &RunController::stateChanged, this, &TimeControls::refresh);
    connect(&run, &RunModel::changed, this, &TimeControls::refresh);
    connect(&run, &RunModel::restarted, this, &TimeControls::refresh);
    refresh();
}

bool TimeControls::isPaused() const {
    return m_controller.state() == RunController::State::Running && m_run.data().isPaused();
}

void TimeControls::tell(ControlKind kind, double value) {
    m_controller.tell({kind, value});
}

void TimeControls::setSpeed(int index) {
    if (index == m_speed || index < 0 || index > kFullSpeed) return;
    m_speed = index;
    if (m_controller.isLive()) tell(ControlKind::kRate, kSpeeds[static_cast<std::size_t>(index)]);
    Q_EMIT speedChanged(index);
}

QString TimeControls::speedText(int index) {
    if (index == kFullSpeed) return tr("full");
    return tr("%1 steps/s").arg(kSpeeds[static_cast<std::size_t>(index)]);
}

void TimeControls::refresh() {
    const bool running = m_controller.state() == RunController::State::Running;
    const bool paused = isPaused();
    m_actions.pause->setEnabled(running);
    m_actions.pause->setText(paused ? tr("Go &on") : tr("&Pause"));
    m_actions.pause->setIconText(paused ? tr("Go on") : tr("Pause"));
    m_actions.pause->setToolTip(paused ? tr("Train on from here (Space)")
                                       : tr("Hold all ranks after the step they are in (Space)"));
    m_actions.step->setEnabled(running);
    m_actions.phase->setEnabled(running);
    m_actions.saveNow->setEnabled(running);
    // A run goes at the speed it was told last, by whomever; a new one at full speed, until it is told what the slider
    // says.
    const bool began = running && !m_wasLive;
    m_wasLive = m_controller.isLive() && (running || m_wasLive);
    if (began && m_run.data().controls().empty() && m_speed != kFullSpeed)
        tell(ControlKind::kRate, kSpeeds[static_cast<std::size_t>(m_speed)]);
}

bool TimeControls::handleKey(const QKeyEvent& event) {
    const bool shift = event.modifiers() == Qt::ShiftModifier;
    if (event.modifiers() != Qt::NoModifier && !shift) return false;
    QAction* action = nullptr;
    if (event.key() == Qt::Key_Space && !shift) action = m_actions.pause;
    if (event.key() == Qt::Key_Right) action = shift ? m_actions.phase : m_actions.step;
    if (action == nullptr || !action->isEnabled()) return false;
    action->trigger();
    return true;
}

}  // namespace ringside
