// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/time_controls.h"

#include <QKeyEvent>
#include <algorithm>

#include "commands/command_search.h"
#include "main_window/actions/window_actions.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "status/run_text.h"

namespace ringside {

TimeControls::TimeControls(WindowActions& actions, RunController& controller, RunModel& run, QObject* parent)
    : QObject(parent), m_actions(actions), m_controller(controller), m_run(run) {
    connect(actions.pause, &QAction::triggered, this,
            [this] { sendCommand(isPaused() ? ControlKind::kResume : ControlKind::kPause); });
    connect(actions.step, &QAction::triggered, this, [this] { sendCommand(ControlKind::kStep, 1); });
    connect(actions.phase, &QAction::triggered, this, [this] { sendCommand(ControlKind::kPhase); });
    connect(actions.saveNow, &QAction::triggered, this, [this] { sendCommand(ControlKind::kCheckpoint); });
    connect(&controller, &RunController::stateChanged, this, &TimeControls::refresh);
    connect(&run, &RunModel::changed, this, &TimeControls::refresh);
    connect(&run, &RunModel::restarted, this, &TimeControls::refresh);
    refresh();
}

// Sets the tooltip of an action: while a watched PyTorch script is shown, the reason why the action is disabled;
// otherwise the action's own tooltip.
void TimeControls::showReason(QAction& action, bool isWatched) {
    constexpr const char* kOwnTip = "ownTip";
    const QString reason =
        tr("A watched script runs by itself: Ringside can stop it, but not pause it or step through it");
    const bool isShown = action.toolTip() == reason;
    if (isWatched && !isShown) {
        action.setProperty(kOwnTip, action.toolTip());
        action.setToolTip(reason);
    } else if (!isWatched && isShown) {
        action.setToolTip(action.property(kOwnTip).toString());
    }
}

bool TimeControls::isPaused() const {
    return m_controller.state() == RunController::State::Running && m_run.data().pauses().isPaused();
}

void TimeControls::sendCommand(ControlKind kind, double value) {
    m_controller.sendCommand({kind, value});
}

void TimeControls::setSpeed(int index) {
    if (index < 0 || index > kFullSpeed) return;
    m_chosen = kSpeeds[static_cast<std::size_t>(index)];
    if (m_chosen == m_rate) return;
    if (m_controller.isLive()) sendRate(m_chosen);
    showRate(m_chosen);
}

QList<QAction*> TimeControls::speedCommands(QObject* parent) {
    QList<QAction*> commands;
    for (int index = 0; index <= kFullSpeed; ++index) {
        const double speed = kSpeeds[static_cast<std::size_t>(index)];
        auto* action = new QAction(tr("Speed: %1").arg(speedText(speed)), parent);
        setSynonyms(*action,
                    speed > 0 ? tr("slow motion slower rate throttle") : tr("fast faster no slow motion rate"));
        connect(action, &QAction::triggered, this, [this, index] { setSpeed(index); });
        commands << action;
    }
    return commands;
}

void TimeControls::sendRate(double rate) {
    m_sentRate = rate;
    m_confirmedBefore = m_run.data().pauses().controls().size();
    sendCommand(ControlKind::kRate, rate);
}

bool TimeControls::wasAnswered() const {
    const std::vector<Controlled>& controls = m_run.data().pauses().controls();
    const std::size_t before = std::min(m_confirmedBefore, controls.size());
    return std::any_of(
        controls.begin() + static_cast<std::ptrdiff_t>(before), controls.end(),
        [this](const Controlled& one) { return one.command == ControlKind::kRate && one.value == m_sentRate; });
}

// Shows the speed limit (maximum number of steps per second) that the live run reports, or the limit chosen in this
// window if no run is live. After this window has sent a new limit, ignores reports until the run confirms it, because
// earlier reports contain the previous limit.
void TimeControls::followRate() {
    if (!m_wasLive) {
        m_sentRate.reset();
        return showRate(m_chosen);
    }
    if (m_sentRate && !wasAnswered()) return;
    m_sentRate.reset();
    showRate(m_run.data().pauses().rate());
}

void TimeControls::showRate(double rate) {
    if (rate == m_rate) return;
    m_rate = rate;
    Q_EMIT speedChanged(rate);
}

QString TimeControls::speedText(double stepsPerSecond) {
    if (stepsPerSecond <= 0) return tr("full");
    return rateText(stepsPerSecond);
}

void TimeControls::refresh() {
    const bool isWatched = m_run.isWatched();
    const bool running = m_controller.state() == RunController::State::Running && !isWatched;
    const bool paused = isPaused();
    m_actions.pause->setEnabled(running);
    WindowActions::setMenuText(*m_actions.pause, paused ? tr("Resu&me") : tr("&Pause"));
    const QString tip = paused ? tr("Continue training (Space)") : tr("Pause all ranks after the current step (Space)");
    m_actions.pause->setToolTip(tip);
    m_actions.pause->setStatusTip(tip);
    m_actions.step->setEnabled(running);
    m_actions.phase->setEnabled(running);
    for (QAction* action : {m_actions.pause, m_actions.step, m_actions.phase}) showReason(*action, isWatched);
    m_actions.saveNow->setEnabled(running);
    // Sends the speed limit of the slider to a run that has received no command yet and therefore trains at full speed.
    // Any other run keeps the limit that was set last.
    const bool began = running && !m_wasLive;
    m_wasLive = m_controller.isLive() && (running || m_wasLive);
    if (began && m_run.data().pauses().controls().empty() && m_chosen > 0) sendRate(m_chosen);
    followRate();
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
