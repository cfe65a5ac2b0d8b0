// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QPushButton>
#include <QShortcut>
#include <QTabWidget>
#include <memory>
#include <optional>

#include "import/data_import.h"
#include "main_window/cluster_actions.h"
#include "main_window/experiment_files.h"
#include "main_window/notice_bar.h"
#include "main_window/script_export.h"
#include "main_window/time_controls.h"
#include "main_window/window_actions.h"
#include "models/device_query.h"
#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "models/step_cursor.h"
#include "pages/navigator.h"

namespace ringside {

class DebugOverlay;
class Dialogs;
class EventTimes;
class PaintStages;
class ExperimentForm;
class RankStrip;
class Settings;
class Theme;
class TimelinePage;
class TopBar;

// What the window is given instead of reaching for it.
struct WindowServices {
    Theme& theme;
    Settings& settings;
    Dialogs& dialogs;
    QString controlProgram;            // ringsidectl
    EventTimes* eventTimes = nullptr;  // of the application, for the debug overlay; null: there is none
};

// The window: owns the models, lays the parts out, and connects them.
class MainWindow final : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(const WindowServices& services, QWidget* parent = nullptr);
    ~MainWindow() override;

    ExperimentModel& experiment() { return m_experiment; }
    PlanModel& plan() { return m_plan; }
    RunModel& run() { return m_run; }
    RunController& controller() { return m_controller; }
    ExperimentFiles& files() { return m_files; }

    // Whether all that was to be drawn has been: parts take turns.
    bool isDrawn() const;
    Navigator& pages() { return *m_navigator; }

    void restore();  // layout, draft; and offers to attach when the last run is still live
    enum class AfterOpening { kShow, kResume };
    // Shows a run and its experiment, after asking what becomes of an unsaved one. False if there is no run to show;
    // the notice says why.
    bool openRun(const QString& runDirectory, AfterOpening after = AfterOpening::kShow);
    QString noticeText() const { return m_notice->text(); }

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    // window_layout.cpp: what stands where
    void buildLayout();
    void addPages();
    void addDebugOverlay();
    void addPaintStages();
    void connectPages();
    QDockWidget* addExperimentDock();
    QDockWidget* addLogDock();
    void addRankDock();
    void resetLayout();

    void connectActions();
    void connectModels();
    void refreshTitle();
    void refreshRunActions();
    QString whyNotRunnable() const;
    void showWhyNotRunnable();
    void startRun();
    void followCluster(const QString& directory);
    bool canResume() const;
    void resumeRun();
    void forgetRun();
    void saySaved(const QString& sentence);
    void fillLiveRuns();
    void noteChanges();
    QStringList differencesFromRun() const;
    void offerApplyNow();
    void offerAfterFailure(bool began);
    void applyNow();
    void offerResume(const QString& directory);
    void showRunState(RunController::State state);
    void applyRunConfig();
    void setTheme(bool dark);
    void setReduceMotion(bool reduce);
    void askBeforeClosing();
    void closeSoon();
    void offerLastRun();
    void showAbout();
    void showDevices();
    void showModelSummary();

    WindowServices m_services;
    ExperimentModel m_experiment;
    PlanModel m_plan;
    RunModel m_run;
    StepCursor m_stepCursor;
    RunController m_controller;
    DeviceQuery m_devices;
    WindowActions m_actions;
    TimeControls m_timeControls;
    ExperimentFiles m_files;
    DataImport m_import;
    ScriptExport m_scripts;
    ClusterActions m_cluster;

    TopBar* m_topBar = nullptr;
    NoticeBar* m_notice = nullptr;
    QTabWidget* m_tabs = nullptr;
    Navigator* m_navigator = nullptr;
    TimelinePage* m_timeline = nullptr;
    DebugOverlay* m_overlay = nullptr;
    ExperimentForm* m_form = nullptr;
    QShortcut* m_blockedRun = nullptr;  // Run's key while Run is disabled
    QLabel* m_fileName = nullptr;
    QLabel* m_changes = nullptr;        // of the form since the live run was started
    QPushButton* m_applyNow = nullptr;  // what of it a live run can be told
    RankStrip* m_ranks = nullptr;
    PaintStages* m_paintStages = nullptr;
    QDockWidget* m_experimentDock = nullptr;
    QDockWidget* m_logDock = nullptr;
    QByteArray m_firstLayout;
    QString m_shownRun;                  // directory of the run that m_run holds
    bool m_adoptsRunConfig = false;      // a run opened from disk brings its experiment along
    bool m_resumeWhenShown = false;      // the run that is being opened goes on at once
    std::optional<RunConfig> m_started;  // the experiment of the live run, as the form said it
    bool m_closeWhenOver = false;
    bool m_closing = false;
};

}  // namespace ringside
