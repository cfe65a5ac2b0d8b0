// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLabel>
#include <QPushButton>

#include "charts/chart_panel.h"
#include "loading/loader_sweep_process.h"

namespace ringside {

class ExperimentModel;

// Dialog that measures how many samples per second are loaded with 0, 1, 2, 4 and 8 data loader workers, shows the
// curve, and offers to use the best number of workers. Not modal. Closing the dialog stops the measurement.
class LoaderSweepDialog final : public QDialog {
    Q_OBJECT
  public:
    // All arguments must outlive the dialog.
    LoaderSweepDialog(ExperimentModel& model, Theme& theme, const QString& controlProgram, QWidget* parent = nullptr);

  private:
    void buildLayout();
    void addRate(const LoaderRate& rate);
    void showAdvice(const LoaderAdvice& advice);
    void showCurve();
    void useAdvice();

    ExperimentModel& m_model;
    Theme& m_theme;
    ChartPanel* m_chart;
    QLabel* m_status;
    QPushButton* m_use;
    QPushButton* m_close;
    std::vector<LoaderRate> m_rates;
    std::int64_t m_advised = 0;
    LoaderSweepProcess m_process;
};

}  // namespace ringside
