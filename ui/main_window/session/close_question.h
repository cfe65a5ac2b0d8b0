// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>

#include "models/run_controller.h"

namespace ringside {

class Dialogs;
class RunModel;

// When the user closes the window during a live run, asks whether the run continues without the window or stops. Then
// closes the window when the run continues without it or has stopped.
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

    // Returns true if the window may close now. If not, asks the user and returns false.
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
