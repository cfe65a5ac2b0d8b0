// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QTimer>

#include "controls/elided_label.h"
#include "controls/segmented_control.h"
#include "pages/page.h"
#include "strategy/page/choices_table.h"
#include "strategy/scene/strategy_process.h"
#include "strategy/scene/strategy_scene.h"
#include "tables/view_export.h"

namespace ringside {

class ExperimentModel;
class PlacementCanvas;
class MemoryCanvas;
class MemoryCurveCanvas;
class MeshCanvas;
class RunModel;
class ScheduleCanvas;
class Theme;
class PictureTablePanel;

// Page that shows how the experiment is distributed over its ranks: placement of the model, memory of each rank,
// schedule as planned and as it ran, and predicted and measured numbers of all strategies.
class StrategyPage : public Page {
    Q_OBJECT
  public:
    StrategyPage(ExperimentModel& experiment, RunModel& run, Theme& theme, const QString& controlProgram,
                 QWidget* parent = nullptr);

    const StrategyScene& scene() const { return m_scene; }
    void loadSchedule(const QString& file);

    QList<View> views() const override;
    void showView(const QString& name) override;
    bool isSettled() const override { return !m_tick.isActive() && !m_scene.loading; }
    bool showsRunProgress() const override { return true; }
    QString copyText() const override;  // returns the text of all panels
    QList<QAction*> exportActions() const override { return m_export->saveActions(); }
    QWidget* keyboardWidget() const override { return m_choices; }

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeTop();
    QWidget* makeSchedule();
    QWidget* makeChoices();
    ViewExport* makeExport();
    ViewExport::Writer scheduleWriter(const QString& file) const;
    void connectAll();
    void planLater();
    void startPlan();
    void readRun();
    void followRanks();
    QString reasonForNothing() const;
    void showScene();
    void showSentences();
    void fitChoices();
    void showScheduleChoice();
    void useStrategy(const std::string& strategy);
    void chooseSchedule(int index);
    void edit(const RunConfig& next, const QString& field);
    void measureStrategies();
    void proveStrategies();
    void showBusy();
    QString choicesNote() const;
    void expectTried(std::size_t strategies);
    void countTestedStrategy();
    void setTables(bool tables);
    QList<TableData> tables() const;

    ExperimentModel& m_experiment;
    RunModel& m_run;
    Theme& m_theme;
    StrategyScene m_scene;
    std::size_t m_tried = 0;  // number of strategies that the running measurement or proof has done
    std::size_t m_toTry = 0;
    StrategyProcess m_process;
    QTimer m_tick;          // timer that computes a new plan soon after a change of the experiment
    QTimer m_readTimer;     // timer that reads measured values of the live run
    QTimer m_move;          // timer that redraws the moving parts of the pictures in slow motion
    std::string m_seenFor;  // experiment, without its strategy, for which the numbers in the table were measured
    QStackedLayout* m_stack = nullptr;
    QLabel* m_empty = nullptr;
    QWidget* m_content = nullptr;
    PlacementCanvas* m_holds = nullptr;
    MeshCanvas* m_mesh = nullptr;
    MemoryCanvas* m_memory = nullptr;
    MemoryCurveCanvas* m_curves = nullptr;
    SegmentedControl *m_holdsView = nullptr, *m_memoryView = nullptr;
    ScheduleCanvas* m_schedule = nullptr;
    PictureTablePanel* m_holdsPanel = nullptr;
    PictureTablePanel* m_memoryPanel = nullptr;
    PictureTablePanel* m_schedulePanel = nullptr;
    SegmentedControl* m_kinds = nullptr;
    ChoicesTable* m_choices = nullptr;
    ElidedLabel* m_choicesNote = nullptr;
    QPushButton* m_measure = nullptr;
    QPushButton* m_prove = nullptr;
    ViewExport* m_export = nullptr;
};

}  // namespace ringside
