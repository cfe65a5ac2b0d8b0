// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProgressBar>
#include <QPushButton>
#include <QWidget>

#include "controls/elided_label.h"
#include "models/run_controller.h"

namespace ringside {

class ExperimentModel;
class RunModel;

// Contents of the status bar: progress and remaining time of the run, its devices with the reason why they were chosen,
// and the run directory.
class StatusPanel final : public QWidget {
    Q_OBJECT
  public:
    StatusPanel(const ExperimentModel& experiment, const RunModel& run, const RunController& controller,
                QWidget* parent = nullptr);

  Q_SIGNALS:
    void computeClicked();  // emitted when the user clicks the text about the devices

  private:
    void addWidgets();
    void refresh();
    QString compute() const;
    QString progress() const;
    bool isOfAnotherExperiment() const;

    const ExperimentModel& m_experiment;
    const RunModel& m_run;
    const RunController& m_controller;
    ElidedLabel* m_progressText;
    QProgressBar* m_progress;
    QLabel* m_timeLeft;
    ElidedLabel* m_compute;
    QPushButton* m_directory;
};

}  // namespace ringside
