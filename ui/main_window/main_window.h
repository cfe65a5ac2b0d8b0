// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QShortcut>

#include "import/data_import.h"
#include "main_window/actions/appearance.h"
#include "main_window/actions/cluster_actions.h"
#include "main_window/actions/watch_actions.h"
#include "main_window/actions/window_actions.h"
#include "main_window/bars/notice_bar.h"
#include "main_window/bars/time_controls.h"
#include "main_window/session/close_question.h"
#include "main_window/session/experiment_files.h"
#include "main_window/session/run_session.h"
#include "main_window/session/script_export.h"
#include "models/device_query.h"
#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "models/step_cursor.h"
#include "pages/navigator.h"

class QDockWidget;

namespace ringside {

class DebugOverlay;
class Dialogs;
class EventTimes;
class ExperimentDock;
class IdentityMenu;
class PaintStages;
class SavedSession;
class Settings;
class Theme;
class TopBar;
class WindowTools;

// Objects and settings that the main window needs. References must outlive the window.
struct WindowServices {
    Theme& theme;
    Settings& settings;
    Dialogs& dialogs;
    QString controlProgram;            // path of ringsidectl
    EventTimes* eventTimes = nullptr;  // times of the application's events, for the debug overlay; may be null
};

// The main window. Owns the models, places all parts of the window, and connects the parts with each other.
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
    Navigator& pages() { return *m_navigator; }

    // True if all parts of the window, which are drawn one after another, have been drawn.
    bool isDrawn() const;
    // Restores the layout and the unsaved experiment of the last session, and offers to attach to the last run if it is
    // still live.
    void restore();
    // Shows the run in a directory and its experiment, after asking about unsaved changes. Returns false if another run
    // is live or the directory contains no run; noticeText() then contains the reason.
    bool openRun(const QString& directory) { return m_session.open(directory, RunSession::AfterOpening::kShow); }
    QString noticeText() const { return m_notice->text(); }

  protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void buildLayout();
    void addCentre();
    void addPages();
    void addPageCommands();
    QWidget* addBottomDocks();
    void addStatus();
    void addPaintStages(QWidget* ranks);
    void addServices();
    void connectFileActions();
    void connectRunActions();
    void connectViewActions();
    void connectFiles();
    void connectRun();
    void showWhenToggled(QAction* action, QDockWidget& dock);
    void chooseRun();
    void showRequestedRun(RunSession::PageToShow page);
    void closeRun();
    void refreshTitle();
    void refreshRunActions();
    void showWhyNotRunnable();
    void fillLiveRuns();
    void showMessage(const QString& sentence);
    void showFailure(const QString& sentence);

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
    RunSession m_session;
    Appearance m_appearance;
    CloseQuestion m_closeQuestion;

    TopBar* m_topBar = nullptr;
    NoticeBar* m_notice = nullptr;
    Navigator* m_navigator = nullptr;
    ExperimentDock* m_experimentDock = nullptr;
    QDockWidget* m_logDock = nullptr;
    DebugOverlay* m_overlay = nullptr;
    IdentityMenu* m_identityMenu = nullptr;
    PaintStages* m_paintStages = nullptr;
    WindowTools* m_tools = nullptr;
    SavedSession* m_saved = nullptr;
    // shortcut with the key of Run; enabled while Run is disabled, to show the reason
    QShortcut* m_blockedRun = nullptr;
};

}  // namespace ringside
