// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>

#include "models/run_controller.h"

namespace ringside {

class Dialogs;
class RunModel;

// Asks, when the user closes the window during a live run, whether the run continues or stops. Closes the window after
// the run was detached or has stopped.
class CloseQuestion final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        const RunModel& run;
        RunController& controller;
        Dialogs& dialogs;
    };
    // All arguments must outlive this object.
    CloseQuestion(const Dependencies& dependencies, QWidget& window);

    // True if the window may close now. Otherwise asks the user.
    bool mayClose();

  private:
    enum class Closing { kNo, kWhenOver, kNow };
    void show();
    void applyAnswer(int answer);
    void followState(RunController::State state);
    void closeAfterEvents();

    Dependencies m_in;
    QWidget& m_window;
    Closing m_closing = Closing::kNo;
};

}  // namespace ringside
