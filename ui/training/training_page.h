// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStackedLayout>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "charts/chart_panel.h"
#include "controls/latest_work.h"
#include "pages/page.h"
#include "training/training_tool_row.h"

namespace ringside {

class RunModel;

// Loss, accuracy, throughput and gradient norm while they are measured, on one x axis with one crosshair.
class TrainingPage : public Page {
    Q_OBJECT
  public:
    TrainingPage(RunModel& run, Theme& theme, QWidget* parent = nullptr);

    // What the charts show now: chart, series, the x axis, value, minimum, maximum, smoothed.
    QStringList csvLines() const;
    void exportTo(const QString& file);  // .csv, .svg or .png

    QList<QAction*> exportActions() const override { return m_tools->exportActions(); }

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* makeEmpty();
    void showEmpty();
    QWidget* makeCharts();
    void connectChart(ChartPanel* panel);
    void redrawLater();
    void redraw();
    void place(int row, ChartPanel* first, ChartPanel* second);
    void setXRange(std::optional<AxisRange> range);
    void chooseExport(const QString& suffix);
    std::vector<ChartPanel*> panels() const { return {m_loss, m_accuracy, m_throughput, m_gradient}; }

    RunModel& m_run;
    Theme& m_theme;
    QTimer m_tick;
    QStackedLayout* m_stack = nullptr;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyHint = nullptr;
    TrainingToolRow* m_tools = nullptr;
    QWidget* m_charts = nullptr;
    ChartPanel* m_loss = nullptr;
    ChartPanel* m_accuracy = nullptr;
    ChartPanel* m_throughput = nullptr;
    ChartPanel* m_gradient = nullptr;
    LatestWork m_writing;
};

}  // namespace ringside
