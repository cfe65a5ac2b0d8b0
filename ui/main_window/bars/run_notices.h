// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>

#include "models/run_controller.h"

namespace ringside {

class Navigator;
class NoticeBar;
class RunModel;
class RunSession;

// Shows messages about the state of the shown run: after the run was stopped or has failed, a message with a button for
// the next action; and a message if the run did not stop in time.
class RunNotices final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        NoticeBar& notice;
        RunSession& session;
        const RunModel& run;
        const RunController& controller;
        Navigator& pages;
        QWidget& log;
    };
    // All dependencies must outlive this object.
    explicit RunNotices(const Dependencies& dependencies, QObject* parent = nullptr);

  private:
    void followState(RunController::State state);
    void showFailure();

    Dependencies m_in;
};

}  // namespace ringside
