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
#include "identity/identity.h"
#include "pages/page.h"
#include "tables/table_data.h"
#include "training/curve_source.h"
#include "training/earlier_runs.h"
#include "training/logged_panel.h"
#include "training/training_tool_row.h"

namespace ringside {

class FindingsPanel;
class RunModel;
class StepCursor;

// Page with charts of loss, accuracy, throughput, gradient norm and learning rate, which grow while the run is live.
// The charts share one x axis and one crosshair. The curves of a resumed run include the runs before it.
class TrainingPage : public Page, public IdentitySource {
    Q_OBJECT
  public:
    TrainingPage(RunModel& run, Theme& theme, QWidget* parent = nullptr);

    // Returns the contents of the charts: chart, series, x, value, minimum, maximum, smoothed value.
    TableData table() const;
    // Adds the panel with the findings of a watched PyTorch script above the charts. The page becomes the panel's
    // parent and limits the panel's height to a fraction of the visible height.
    void setFindings(FindingsPanel* panel);
    // Shows the crosshair at this step while the pointer is not on a chart.
    void followStep(const StepCursor& cursor);
    // Writes the charts to `file`. The suffix .csv, .svg or .png determines the format.
    void exportTo(const QString& file);
    // Returns the rank whose curve is at the point, if there is one, and then the step at the point.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    QString copyText() const override { return tabText(table()); }
    void showRank(int) override { m_tools->setFanOut(true); }  // shows the curves of all ranks

    QList<QAction*> exportActions() const override { return m_tools->exportActions(); }
    QList<PageShortcut> shortcuts() const override {
        return {{QStringLiteral("L"), tr("Training: logarithmic y axis")}};
    }

  Q_SIGNALS:
    void stepClicked(qint64 step);  // emitted when the user clicks a step in the loss chart

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeEmpty();
    void showEmpty();
    QWidget* makeCharts();
    void connectChart(ChartPanel* panel);
    void redrawLater();
    void redraw();
    void placeCharts();
    void place(int group, int stretch, const std::vector<ChartPanel*>& panels);
    void showCrosshair(std::optional<double> x);
    std::optional<double> cursorX() const;
    void clickLoss(double x);
    std::optional<std::int64_t> stepNear(double x) const;
    bool isSmoothed(const ChartPanel* panel) const;
    RunParts parts() const;
    void setXRange(std::optional<AxisRange> range);
    void chooseExport(const QString& suffix);
    std::vector<ChartPanel*> panels() const { return {m_loss, m_accuracy, m_throughput, m_gradient, m_rate, m_phases}; }

    RunModel& m_run;
    Theme& m_theme;
    EarlierRuns* m_earlier;
    GrowingCurves m_curves;
    QTimer m_tick;
    FindingsPanel* m_findings = nullptr;
    QStackedLayout* m_stack = nullptr;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyHint = nullptr;
    TrainingToolRow* m_tools = nullptr;
    QLabel* m_mistakes = nullptr;
    QWidget* m_charts = nullptr;
    ChartPanel* m_loss = nullptr;
    ChartPanel* m_accuracy = nullptr;
    ChartPanel* m_throughput = nullptr;
    ChartPanel* m_gradient = nullptr;
    ChartPanel* m_rate = nullptr;
    ChartPanel* m_phases = nullptr;
    LoggedPanel* m_logged = nullptr;  // chart of values that a watched PyTorch script logs, by the script's own steps
    const StepCursor* m_cursor = nullptr;
    bool m_pointed = false;  // true while the pointer is on a chart
    LatestWork m_writing;
};

}  // namespace ringside
