// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/run_notices.h"

#include "main_window/bars/notice_bar.h"
#include "main_window/session/run_session.h"
#include "models/run_model.h"
#include "pages/navigator.h"

namespace ringside {

RunNotices::RunNotices(const Dependencies& dependencies, QObject* parent) : QObject(parent), m_in(dependencies) {
    connect(&m_in.controller, &RunController::stateChanged, this, &RunNotices::followState);
}

void RunNotices::followState(RunController::State state) {
    using enum RunController::State;
    const QString message = m_in.controller.message();
    if (state == Running &&
        !message.isEmpty())  // a message in the state Running reports that the run has not stopped in time
        m_in.notice.showMessage(message, NoticeBar::Tone::Danger);
    if (state == Stopped && m_in.session.canResume())
        m_in.notice.offer(tr("The run was stopped. Its checkpoint is kept."), tr("Resume"),
                          [this] { m_in.session.resume(); });
    if (state == Failed) showFailure();
}

// Shows the message of a failed run with a button. The button shows the last steps on the Timeline page or, if no steps
// were traced, the log. If the run has recorded its end, the log also opens at once.
void RunNotices::showFailure() {
    const bool hasBegun = !m_in.controller.runDirectory().isEmpty();  // a start that was refused has no log
    const bool hasEnded = hasBegun && m_in.run.data().ended();
    const auto& trace = m_in.run.data().trace();
    const auto showLog = [this] { m_in.log.show(); };
    const auto showLastSteps = [this] {
        m_in.pages.show(QStringLiteral("timeline"));
        m_in.pages.current().showLastSteps();
    };
    const QString message = m_in.controller.message();
    if (hasEnded && trace && !trace->steps().empty()) {
        m_in.notice.offer(message, tr("Show the last steps"), showLastSteps, NoticeBar::Tone::Danger);
    } else {
        m_in.notice.offer(message, hasBegun ? tr("Show log") : QString(), showLog, NoticeBar::Tone::Danger);
    }
    if (hasEnded) m_in.log.show();
}

}  // namespace ringside
