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
#include "main_window/watch_actions.h"
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
class IdentityMenu;
class RankStrip;
class Settings;
class Theme;
class TimelinePage;
class TopBar;
struct HelpTopic;

// Dependencies of the window.
struct WindowServices {
    Theme& theme;
    Settings& settings;
    Dialogs& dialogs;
    QString controlProgram;            // path of ringsidectl
    EventTimes* eventTimes = nullptr;  // measurements of the application for the debug overlay; may be null
};

// The main window: owns the models, lays out all parts, and connects them.
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

    // True if all parts have been drawn; they are drawn one after another.
    bool isDrawn() const;
    Navigator& pages() { return *m_navigator; }

    void restore();  // restores layout and draft, and offers to attach if the last run is still live
    enum class AfterOpening { kShow, kResume };
    // Shows a run and its experiment, after asking about unsaved changes. False if there is no run to show; a notice
    // contains the reason.
    bool openRun(const QString& runDirectory, AfterOpening after = AfterOpening::kShow);
    QString noticeText() const { return m_notice->text(); }

  protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    // The following functions are implemented in window_layout.cpp.
    void buildLayout();
    void addPages();
    void addDebugOverlay();
    void addPaintStages();
    void connectPages();
    QDockWidget* addExperimentDock();
    QDockWidget* addLogDock();
    void addRankDock();
    void sizeForm();
    void resetLayout();

    // The following functions are implemented in window_session.cpp.
    void restoreSession();
    void askAfterCrash();
    void offerLastRun();
    void offerResume(const QString& directory);
    void askBeforeClosing();
    void closeAfterEvents();

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
    void showSaved(const QString& sentence);
    void fillLiveRuns();
    void showFormDifferences();
    QStringList differencesFromRun() const;
    void offerApplyNow();
    void offerAfterFailure(bool began);
    void applyNow();
    void showRunState(RunController::State state);
    void applyRunConfig();
    void setTheme(bool dark);
    void setTypePercent(int percent);
    void setReduceMotion(bool reduce);
    void showHelp(const HelpTopic& topic);
    void showHelpOnControl();
    void showFinder();
    void goToOtherPart();
    void copyAsText();
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
    WatchActions m_watch;

    TopBar* m_topBar = nullptr;
    NoticeBar* m_notice = nullptr;
    QTabWidget* m_tabs = nullptr;
    Navigator* m_navigator = nullptr;
    TimelinePage* m_timeline = nullptr;
    IdentityMenu* m_identityMenu = nullptr;
    DebugOverlay* m_overlay = nullptr;
    ExperimentForm* m_form = nullptr;
    QShortcut* m_blockedRun = nullptr;  // shortcut of Run while Run is disabled
    QLabel* m_fileName = nullptr;
    QLabel* m_changes = nullptr;        // text about changes of the form since the live run was started
    QPushButton* m_applyNow = nullptr;  // button that applies the changes that a live run can accept
    RankStrip* m_ranks = nullptr;
    PaintStages* m_paintStages = nullptr;
    QDockWidget* m_experimentDock = nullptr;
    QWidget* m_formFrame = nullptr;
    QDockWidget* m_logDock = nullptr;
    QByteArray m_firstLayout;
    QString m_shownRun;                  // directory of the run that m_run contains
    bool m_adoptsRunConfig = false;      // true while a run that was opened from disk brings its experiment
    bool m_resumeWhenShown = false;      // true if the run that is being opened will be resumed at once
    std::optional<RunConfig> m_started;  // experiment of the live run as it was in the form
    enum class Closing { kNo, kWhenOver, kNow };
    Closing m_closing = Closing::kNo;
};

}  // namespace ringside
