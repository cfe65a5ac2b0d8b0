// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "controls/empty_panel.h"
#include "controls/page_stack.h"
#include "controls/segmented_control.h"
#include "pages/page.h"
#include "shards/balance/class_balance_view.h"
#include "shards/find/plan_search.h"
#include "shards/page/alarm_banner.h"
#include "shards/page/order_banner.h"
#include "shards/page/view_panel.h"
#include "shards/scene/scene_source.h"
#include "shards/seen/seen_plan_finder.h"
#include "shards/summary/coverage_count.h"
#include "shards/summary/epoch_summary_panel.h"
#include "shards/summary/epoch_summary_side.h"
#include "shards/watch/epoch_follower.h"
#include "shards/watch/run_progress.h"
#include "shards/watch/step_mark.h"
#include "shards/watch/verification.h"

namespace ringside {

class ExperimentModel;
class SeenSamplesPanel;
class PlanModel;
class RunModel;

// Page that shows which sample every rank gets in the selected epoch, and why. Connects the views, the summary and the
// search with the plan and the selection.
class ShardsPage : public Page {
    Q_OBJECT
  public:
    ShardsPage(ExperimentModel& experiment, PlanModel& plan, const RunModel& run, Theme& theme,
               QWidget* parent = nullptr);

    // True if the visible parts show the current plan and no worker is drawing.
    bool isSettled() const override;
    bool isFinding() const { return m_search->finder().isWorking(); }
    QWidget* visibleView() const { return &m_views->view(); }
    PageFigures figures() const override;
    QList<QWidget*> paintParts() const override { return {m_views, m_views->explanationBox(), m_side}; }
    QList<QAction*> exportActions() const override { return m_views->exporter().saveActions(); }
    QString copyText() const override;
    void find(const QString& query) override { m_views->find().setText(query); }
    QList<PageShortcut> shortcuts() const override;
    QWidget* keyboardWidget() const override { return m_views->view().keyboardWidget(); }
    QList<View> views() const override { return ViewPanel::choices(); }
    void showView(const QString& view) override { m_views->showView(view); }

    // Returns the minimum size. On a narrow page, the summary does not add to it, because it is a drawer over the
    // views.
    QSize minimumSizeHint() const override;

    // Marks the samples of a step. The step is counted from 1 over all epochs; empty: no step is marked. go: if given,
    // also selects the epoch and scrolls to the step.
    void showStep(std::optional<qint64> step, qint64 epoch, std::optional<int> goToRank) override;

  Q_SIGNALS:
    void reportSamplesWanted();  // emitted when the user wants the next run to report samples

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void placeEpochSummary();
    void connectParts();
    void connectViews();
    void addExports();
    void showScene();
    void showEmpty();
    void showSelection();
    void showExplanation();
    QList<EpochSummaryRow> rowsOfEpochSummary() const;
    void showEpochSummary();
    void showProgress();
    void markStep();
    void showAlarm();
    void goToMismatch();
    void followBatch();
    void makeLayout(Theme& theme);
    void connectRun();
    void showChosenView();
    void goToHit(const PlanHit& hit);
    void select(GridCell cell);
    void selectAt(qint64 sample, std::optional<GridCell> cell);
    void hover(std::optional<GridCell> cell);
    const std::optional<ShardScene>& scene() const { return m_source.scene(); }
    std::optional<GridCell> selectedCell() const;

    ExperimentModel& m_experiment;
    PlanModel& m_plan;
    const RunModel& m_run;
    SceneSource m_source;
    CoverageCount m_coverage;
    UniqueCount m_unique;
    Verification m_verification;
    EpochFollower m_follower;
    SeenPlanFinder m_seenPlan;

    QTimer m_wordsLater;
    // stack of three pages: the views of the plan, a message if there is no plan, and the samples of a watched PyTorch
    // script
    PageStack* m_stack = nullptr;
    AlarmBanner* m_alarm = nullptr;
    OrderBanner* m_orderNote = nullptr;
    RunProgress m_progress;
    bool m_willReport = false;       // true if the next run will report its samples
    StepMark m_step;                 // step of a run that the user has chosen on another page
    qint64 m_followedSlot = -1;      // position (slot) of the first sample of the batch that was made visible last
    std::optional<GridCell> m_goal;  // cell to show when the plan of its epoch is available
    ViewPanel* m_views = nullptr;
    PlanSearch* m_search = nullptr;
    EmptyPanel* m_empty = nullptr;
    SeenSamplesPanel* m_seen = nullptr;        // samples of a watched PyTorch script
    SegmentedControl* m_seenChoice = nullptr;  // switch between the plan and the samples of a watched PyTorch script;
                                               // hidden if no plan is known
    EpochSummaryPanel* m_summary = nullptr;
    EpochSummarySide* m_side = nullptr;
    QHBoxLayout* m_row = nullptr;
    ClassBalanceView* m_balance = nullptr;
};

}  // namespace ringside
