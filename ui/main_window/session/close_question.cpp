// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/session/close_question.h"

#include "dialogs/dialogs.h"
#include "models/run_model.h"

namespace ringside {

CloseQuestion::CloseQuestion(const Dependencies& dependencies, QWidget& window)
    : QObject(&window), m_in(dependencies), m_window(window) {
    connect(&m_in.controller, &RunController::stateChanged, this, &CloseQuestion::followState);
}

bool CloseQuestion::mayClose() {
    if (!m_in.controller.isLive() || m_closing == Closing::kNow) return true;
    show();
    return false;
}

void CloseQuestion::show() {
    const bool isWatched = m_in.run.isWatched();
    m_in.dialogs.showQuestion(
        {isWatched ? tr("A watched script is running") : tr("A run is live"),
         tr("The run can continue without the window, and you can attach to it again later."),
         {tr("Keep running"), isWatched ? tr("Stop the script") : tr("Stop and save"), tr("Cancel")}},
        [this](int answer) { applyAnswer(answer); });
}

void CloseQuestion::applyAnswer(int answer) {
    m_closing = answer != 2 ? Closing::kWhenOver : Closing::kNo;
    if (answer == 2) return;
    if (!m_in.controller.isLive()) return closeAfterEvents();  // the run ended before the user answered
    answer == 0 ? m_in.controller.detach() : m_in.controller.stop();
}

void CloseQuestion::followState(RunController::State state) {
    const bool didNotStop = state == RunController::State::Running && !m_in.controller.message().isEmpty();
    // The window stays open if the run did not stop or has failed, so that the user can read the message.
    if (didNotStop || state == RunController::State::Failed) m_closing = Closing::kNo;
    if (m_closing == Closing::kWhenOver && !m_in.controller.isLive()) closeAfterEvents();
}

// Closes the window after the current event, because QWidget::close() is ignored while a close event is handled.
void CloseQuestion::closeAfterEvents() {
    m_closing = Closing::kNow;
    QMetaObject::invokeMethod(&m_window, &QWidget::close, Qt::QueuedConnection);
}

}  // namespace ringside
