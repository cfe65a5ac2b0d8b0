// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "main_window/bars/plain_dock.h"
#include "models/run_controller.h"

namespace ringside {

class ExperimentModel;
class RankStrip;
class RunModel;
class Theme;

// Dock at the bottom of the window: one card per rank, and a line of text. The line is the name of the run whose ranks
// are shown. Without a run, it states that the cards show the ranks that the experiment in the form would start.
class RankCardsDock final : public PlainDock {
    Q_OBJECT
  public:
    struct Dependencies {
        ExperimentModel& experiment;
        RunModel& run;
        const RunController& controller;
        Theme& theme;
    };
    // All dependencies must outlive the dock.
    RankCardsDock(const Dependencies& dependencies, QWidget* parent);

    RankStrip& ranks() { return *m_ranks; }

  private:
    void showState(RunController::State state);

    Dependencies m_in;
    RankStrip* m_ranks = nullptr;
};

}  // namespace ringside
