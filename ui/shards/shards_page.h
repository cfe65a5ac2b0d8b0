// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStackedLayout>
#include <QTableView>
#include <QWidget>
#include <optional>

#include "controls/segmented_control.h"
#include "shards/class_balance_view.h"
#include "shards/explanation_box.h"
#include "shards/find_box.h"
#include "shards/ledger_panel.h"
#include "shards/plan_finder.h"
#include "shards/shard_view.h"
#include "shards/verification.h"
#include "shards/view_export.h"

namespace ringside {

class ExperimentModel;
class PlanModel;
class RunModel;

// Which sample every rank gets in the epoch at the cursor, and why.
class ShardsPage : public QWidget {
    Q_OBJECT
  public:
    ShardsPage(ExperimentModel& experiment, PlanModel& plan, const RunModel& run, Theme& theme,
               QWidget* parent = nullptr);
    ~ShardsPage() override;

  private:
    QWidget* makeViewPanel();
    QWidget* makeToolRow();
    QWidget* makeEmptyPanel();
    void connectViews();
    void showPlan();
    void showEmpty();
    void showSelection();
    void showExplanation();
    void showLedger();
    void showVerification();
    void showFound();
    void showView(int index);
    void goToHit(int direction);
    void connectExport();
    void showTable();
    void selectRow(int row);
    ShardView& view() const { return *m_views[m_viewChoice->current()]; }
    void select(LoomCell cell);
    void hover(std::optional<LoomCell> cell);
    void readLabelsLater();
    void makeOrderHashLater();
    std::optional<LoomCell> selectedCell() const;

    ExperimentModel& m_experiment;
    PlanModel& m_plan;
    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    CoverageCount m_coverage;
    Verification m_verification;

    QStackedLayout* m_stack = nullptr;
    PlanFinder m_finder;
    FindBox* m_find = nullptr;
    SegmentedControl* m_viewChoice = nullptr;
    QStackedLayout* m_viewStack = nullptr;
    QList<ShardView*> m_views;
    ViewExport* m_export = nullptr;
    ShardTableModel m_tableModel;
    QTableView* m_tableView = nullptr;
    ExplanationBox* m_explanation = nullptr;
    LedgerPanel* m_ledger = nullptr;
    ClassBalanceView* m_balance = nullptr;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyText = nullptr;
    std::shared_ptr<const Dataset> m_labelsOf;
    Labels m_labels;
    ShardSpec m_hashOf;
    QThreadPool m_pool;
};

}  // namespace ringside
