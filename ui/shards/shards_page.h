// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStackedLayout>
#include <QWidget>
#include <optional>

#include "controls/segmented_control.h"
#include "shards/class_balance_view.h"
#include "shards/explanation_box.h"
#include "shards/ledger_panel.h"
#include "shards/loom_minimap.h"
#include "shards/loom_widget.h"
#include "shards/tail_panel.h"
#include "shards/verification.h"

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

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeLoomPanel();
    QWidget* makeLoomHeader();
    QWidget* makeEmptyPanel();
    void connectViews();
    void showPlan();
    void showEmpty();
    void showSelection();
    void showLedger();
    void showVerification();
    void showWindow();
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
    QLabel* m_subtitle = nullptr;
    SegmentedControl* m_colorBy = nullptr;
    LoomMinimap* m_minimap = nullptr;
    LoomWidget* m_loom = nullptr;
    TailPanel* m_tail = nullptr;
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
