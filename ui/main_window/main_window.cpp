// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/main_window.h"

#include <QCloseEvent>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QStatusBar>
#include <QVBoxLayout>
#include <utility>

#include "controls/focus_ring.h"
#include "devices/gpu_probe.h"
#include "diagnostics/debug_overlay.h"
#include "dialogs/dialogs.h"
#include "experiment/experiment_form.h"
#include "identity/table_copy.h"
#include "main_window/actions/pytorch_comparison_action.h"
#include "main_window/bars/experiment_dock.h"
#include "main_window/bars/rank_cards_dock.h"
#include "main_window/bars/run_notices.h"
#include "main_window/bars/top_bar.h"
#include "main_window/bars/window_tools.h"
#include "main_window/pages/identity_menu.h"
#include "main_window/pages/page_links.h"
#include "main_window/pages/page_table.h"
#include "main_window/paint_stages.h"
#include "main_window/saved_session.h"
#include "main_window/session/live_runs.h"
#include "pages/page_tabs.h"
#include "ranks/rank_strip.h"
#include "settings/settings.h"
#include "status/log_panel.h"
#include "status/status_panel.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kLogHeight{96};
// Minimum size of the area of the pages, in pixels. A page that needs more scrolls, so that the message bar and the log
// still fit on a small screen.
constexpr QSize kMinPages{420, 190};

}  // namespace

MainWindow::MainWindow(const WindowServices& services, QWidget* parent)
    : QMainWindow(parent),
      m_services(services),
      m_plan(m_experiment),
      m_controller(services.controlProgram, m_run),
      m_devices(services.controlProgram),
      m_actions(this, m_experiment.undoStack()),
      m_timeControls(m_actions, m_controller, m_run),
      m_files(m_experiment, services.settings, services.dialogs),
      m_import(m_experiment, services.theme, services.dialogs, this),
      m_scripts(m_experiment, services.settings, services.dialogs),
      m_cluster(m_actions, {m_experiment, m_controller, services.dialogs, services.controlProgram}, this),
      m_watch(m_actions, {m_run, m_controller, services.settings, services.dialogs, services.theme}, this),
      m_session({m_experiment, m_plan, m_run, m_controller, m_files, services.settings}),
      m_appearance(m_actions, services.theme, services.settings),
      m_closeQuestion({m_run, m_controller, services.dialogs}, *this) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    buildLayout();
    addServices();
    connectFileActions();
    connectRunActions();
    connectViewActions();
    connectFiles();
    connectRun();
    refreshTitle();
    refreshRunActions();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildLayout() {
    m_topBar = new TopBar(m_actions, m_plan, m_services.theme, this);
    setMenuWidget(m_topBar);
    // The order of creation is the order in which the Tab key visits the controls: top bar, form, page. So the dock
    // with the form is created before the pages.
    m_experimentDock = new ExperimentDock(m_experiment, this);
    addDockWidget(Qt::LeftDockWidgetArea, m_experimentDock);
    m_watch.addPanel(m_experimentDock->frame(), m_experimentDock->panel());
    addCentre();
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    QWidget* ranks = addBottomDocks();
    addStatus();
    new FocusRing(*this);
    addPaintStages(ranks);
    resize(1280, 800);
}

void MainWindow::addCentre() {
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, Theme::kSpace1, Theme::kSpace3, 0);
    column->setSpacing(Theme::kSpace1);
    m_notice = new NoticeBar(this);
    column->addWidget(m_notice);
    auto* tabs = new PageTabs(this);
    tabs->setObjectName(QStringLiteral("pagesTabWidget"));
    tabs->setAccessibleName(tr("Pages"));
    tabs->setDocumentMode(true);
    tabs->setMinimumSize(kMinPages);
    column->addWidget(tabs, 1);
    m_navigator = new Navigator(*tabs, this);
    addPages();
    addPageCommands();
    setCentralWidget(centre);
    centre->setFocus();  // no control has the keyboard focus at the start, so that Space and the arrow keys control the
                         // run
    if (m_services.eventTimes == nullptr) return;
    m_overlay = new DebugOverlay(
        *m_services.eventTimes, [this] { return m_navigator->current().figures(); }, tabs);
}

void MainWindow::addPages() {
    auto* links = new PageLinks(*m_navigator, m_stepCursor, this);
    const PageContext context{m_experiment, m_plan,           m_run,
                              m_controller, m_stepCursor,     *links,
                              m_watch,      m_services.theme, m_services.controlProgram};
    for (const PageRow& row : pageTable()) m_navigator->add(row.make(context, this));
    m_identityMenu = new IdentityMenu({m_plan, m_run, m_stepCursor, *m_navigator, *links}, this);
    QCoreApplication::instance()->installEventFilter(new TableCopy(this));
}

// Adds a command for each page to the View menu, and a command for each view of a page to the command finder.
void MainWindow::addPageCommands() {
    const auto show = [this](const QString& place) {
        m_navigator->show(place);
        m_navigator->focusPage();
    };
    for (const Page* page : m_navigator->pages())
        m_actions.addPage(page->title(), [show, name = page->name()] { show(name); });
    for (const Page* page : m_navigator->pages()) {
        for (const Page::View& view : page->views()) {
            const QString place = page->name() + QLatin1Char('/') + view.name;
            m_actions.addView(tr("%1: %2").arg(page->title(), view.title), view.words, [show, place] { show(place); });
        }
    }
    connect(m_navigator, &Navigator::savePathWanted, this,
            [this](const QString& suggestion, const QString& filter, const PathTaken& taken) {
                m_services.dialogs.saveFile(tr("Save"), suggestion, filter, taken);
            });
    connect(m_navigator, &Navigator::openPathWanted, this,
            [this](const QString& title, const QString& filter, const PathTaken& taken) {
                m_services.dialogs.openFile(title, {}, filter, taken);
            });
    connect(m_navigator, &Navigator::saved, this, &MainWindow::showMessage);
    connect(m_navigator, &Navigator::failed, this, &MainWindow::showFailure);
}

// Adds the log dock and, below it, the dock with the ranks. Returns the widget that draws the ranks.
QWidget* MainWindow::addBottomDocks() {
    auto* log = new LogPanel(m_run, m_services.theme, this);
    followType(*log, [log] { log->setMinimumHeight(kLogHeight); });
    m_logDock = new PlainDock(tr("Log"), QStringLiteral("logDock"), this);
    m_logDock->setWidget(log);
    addDockWidget(Qt::BottomDockWidgetArea, m_logDock);
    m_logDock->hide();
    auto* ranks = new RankCardsDock({m_experiment, m_run, m_controller, m_services.theme}, this);
    addDockWidget(Qt::BottomDockWidgetArea, ranks);
    splitDockWidget(m_logDock, ranks, Qt::Vertical);
    return &ranks->ranks();
}

void MainWindow::addStatus() {
    statusBar()->setSizeGripEnabled(false);
    auto* status = new StatusPanel(m_experiment, m_run, m_controller, this);
    connect(status, &StatusPanel::computeClicked, m_actions.devices, &QAction::trigger);
    statusBar()->addWidget(status, 1);
    // Hides the status panel while a message is shown. QStatusBar also hides it, but shows it again over the message
    // when the height of the bar changes.
    connect(statusBar(), &QStatusBar::messageChanged, status,
            [status](const QString& message) { status->setVisible(message.isEmpty()); });
}

// Registers the parts of the pages, the form and the cards of the ranks as stages, which are painted one after another.
// A change of the data set or of the number of ranks repaints them in this way.
void MainWindow::addPaintStages(QWidget* ranks) {
    QList<QWidget*> parts;
    for (const Page* page : m_navigator->pages()) parts << page->paintParts();
    m_paintStages = new PaintStages(*this, parts << &m_experimentDock->form() << ranks, this);
    m_paintStages->beginWithFirstPaint();
    connect(&m_experiment, &ExperimentModel::dataChanged, m_paintStages, &PaintStages::begin);
    connect(&m_experiment, &ExperimentModel::configChanged, m_paintStages, [this, before = std::int64_t{0}]() mutable {
        const std::int64_t now = m_experiment.config().parallel.worldSize;
        if (std::exchange(before, now) != now) m_paintStages->begin();
    });
}

bool MainWindow::isDrawn() const {
    return m_paintStages->isDone();
}

void MainWindow::addServices() {
    m_tools = new WindowTools({m_actions, m_experiment, m_devices, *m_navigator, m_timeControls, *m_experimentDock,
                               m_services.dialogs, m_services.theme, m_services.controlProgram},
                              *this);
    connect(m_tools, &WindowTools::messageReady, this, &MainWindow::showMessage);
    connect(m_tools, &WindowTools::failed, this, &MainWindow::showFailure);
    connect(m_identityMenu, &IdentityMenu::explanationWanted, m_tools, &WindowTools::showHelp);
    connect(&m_appearance, &Appearance::messageReady, this, &MainWindow::showMessage);
    new RunNotices({*m_notice, m_session, m_run, m_controller, *m_navigator, *m_logDock}, this);
    new PytorchComparisonAction({m_actions, m_experiment, m_run, m_controller, m_session, m_services.settings,
                                 m_services.theme, m_services.controlProgram},
                                *this);
    m_saved = new SavedSession({*this, m_services.settings, m_services.dialogs, m_appearance, m_experimentDock->form(),
                                *m_navigator, m_experiment, m_files, m_session, *m_notice});
}

void MainWindow::connectFileActions() {
    const WindowActions& a = m_actions;
    connect(a.newExperiment, &QAction::triggered, &m_files, [this] { m_files.startNew(); });
    m_actions.addExamples([this](const QString& resource) { m_files.startExample(resource); });
    connect(a.open, &QAction::triggered, &m_files, &ExperimentFiles::chooseAndOpen);
    connect(a.openData, &QAction::triggered, &m_files, &ExperimentFiles::chooseData);
    connect(a.openDataFolder, &QAction::triggered, &m_files, &ExperimentFiles::chooseDataFolder);
    connect(a.save, &QAction::triggered, &m_files, &ExperimentFiles::save);
    connect(a.saveAs, &QAction::triggered, &m_files, &ExperimentFiles::saveAs);
    connect(a.openRun, &QAction::triggered, this, &MainWindow::chooseRun);
    connect(a.attachRun, &QAction::triggered, this, &MainWindow::chooseRun);
    connect(a.quit, &QAction::triggered, this, &QWidget::close);
    connect(a.savePage, &QMenu::aboutToShow, this, [this] {
        m_actions.savePage->clear();
        m_actions.savePage->addActions(m_navigator->current().exportActions());
    });
    connect(a.liveRuns, &QMenu::aboutToShow, this, &MainWindow::fillLiveRuns);
    connect(a.recent, &QMenu::aboutToShow, this, [this] { m_files.fillRecent(*m_actions.recent); });
    connect(a.exportScript, &QAction::triggered, &m_scripts, &ScriptExport::choose);
}

void MainWindow::connectRunActions() {
    const WindowActions& a = m_actions;
    connect(a.run, &QAction::triggered, &m_session, &RunSession::start);
    m_blockedRun = new QShortcut(a.run->shortcut(), this, this, &MainWindow::showWhyNotRunnable);
    connect(a.resume, &QAction::triggered, &m_session, &RunSession::resume);
    connect(a.stop, &QAction::triggered, &m_controller, &RunController::stop);
    connect(a.detach, &QAction::triggered, &m_controller, &RunController::detach);
    connect(a.previousEpoch, &QAction::triggered, this, [this] { m_plan.setEpoch(m_plan.epoch() - 1); });
    connect(a.nextEpoch, &QAction::triggered, this, [this] { m_plan.setEpoch(m_plan.epoch() + 1); });
    connect(m_topBar, &TopBar::speedChosen, &m_timeControls, &TimeControls::setSpeed);
    connect(m_topBar, &TopBar::reasonClicked, this, &MainWindow::showWhyNotRunnable);
    connect(&m_timeControls, &TimeControls::speedChanged, m_topBar, &TopBar::setSpeed);
    connect(&m_cluster, &ClusterActions::localRunWanted, &m_session, &RunSession::start);
    connect(&m_cluster, &ClusterActions::runBegan, &m_session, &RunSession::follow);
    connect(&m_watch, &WatchActions::watchWanted, &m_session, &RunSession::watch);
    connect(&m_watch, &WatchActions::failed, this, &MainWindow::showFailure);
}

void MainWindow::connectViewActions() {
    showWhenToggled(m_actions.log, *m_logDock);
    showWhenToggled(m_actions.experiment, *m_experimentDock);
    m_actions.experiment->setChecked(true);
    m_actions.debugOverlay->setVisible(m_overlay != nullptr);
    if (m_overlay) connect(m_actions.debugOverlay, &QAction::toggled, m_overlay, &QWidget::setVisible);
    connect(m_actions.resetLayout, &QAction::triggered, m_saved, &SavedSession::resetLayout);
}

void MainWindow::showWhenToggled(QAction* action, QDockWidget& dock) {
    connect(action, &QAction::toggled, &dock, &QWidget::setVisible);
    connect(&dock, &QDockWidget::visibilityChanged, action, [action, &dock] { action->setChecked(!dock.isHidden()); });
}

void MainWindow::connectFiles() {
    connect(&m_experiment, &ExperimentModel::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_experiment.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::refreshTitle);
    connect(&m_files, &ExperimentFiles::saved, this, &MainWindow::showMessage);
    connect(&m_files, &ExperimentFiles::experimentReplaced, this, &MainWindow::closeRun);
    connect(&m_files, &ExperimentFiles::failed, this, &MainWindow::showFailure);
    connect(&m_files, &ExperimentFiles::scriptChosen, &m_watch, &WatchActions::openDialog);
    connect(&m_files, &ExperimentFiles::runDirectoryChosen, this, &MainWindow::openRun);
    connect(&m_files, &ExperimentFiles::dataChosen, &m_import, &DataImport::openFile);
    for (const auto chosen : {&ExperimentFiles::scriptChosen, &ExperimentFiles::dataChosen})
        connect(&m_files, chosen, m_notice, &NoticeBar::dismissFailure);
    connect(&m_files, &ExperimentFiles::done, m_notice, &NoticeBar::dismissFailure);
    connect(&m_import, &DataImport::runDirectoryChosen, this, &MainWindow::openRun);
    connect(&m_import, &DataImport::experimentFound, &m_files, &ExperimentFiles::openExperiment);
    connect(&m_scripts, &ScriptExport::failed, this, &MainWindow::showFailure);
    connect(&m_scripts, &ScriptExport::written, m_notice,
            [this](const QString& message) { m_notice->showMessage(message); });
    connect(&m_experimentDock->form(), &ExperimentForm::browseRequested, &m_files, [this] {
        const bool folder = m_experiment.config().dataset.kind == DatasetKind::kImageFolder;
        folder ? m_files.chooseDataFolder() : m_files.chooseData();
    });
}

void MainWindow::connectRun() {
    connect(&m_experiment, &ExperimentModel::configChanged, this, &MainWindow::refreshRunActions);
    connect(&m_experiment, &ExperimentModel::dataChanged, this, &MainWindow::refreshRunActions);
    connect(&m_controller, &RunController::stateChanged, this, &MainWindow::refreshRunActions);
    connect(&m_devices, &DeviceQuery::found, &m_experiment, &ExperimentModel::setHost);
    connect(&m_session, &RunSession::requested, this, &MainWindow::showRequestedRun);
    connect(&m_session, &RunSession::refused, m_notice, [this](const QString& sentence, bool isFailure) {
        m_notice->showMessage(sentence, isFailure ? NoticeBar::Tone::Danger : NoticeBar::Tone::Plain);
    });
    connect(&m_session, &RunSession::formCompared, m_experimentDock, [this] {
        m_experimentDock->showChanges(m_session.changedSettings(), m_controller.isLive());
        m_experimentDock->offerChanges(m_session.applicableChanges());
    });
    connect(m_experimentDock, &ExperimentDock::applyWanted, &m_session, &RunSession::applyChanges);
}

void MainWindow::restore() {
    if (gpuDriverLoaded()) m_devices.start();
    m_saved->restore();
}

void MainWindow::chooseRun() {
    const QString last = QFileInfo(m_services.settings.get(settings::kLastRun)).absolutePath();
    m_services.dialogs.openFolder(tr("Choose a run directory"), last, [this](const QString& path) { openRun(path); });
}

void MainWindow::showRequestedRun(RunSession::PageToShow page) {
    using enum RunSession::PageToShow;
    m_notice->hide();
    const bool isShown = page == kCurrent || (page == kAnyThatFollows && m_navigator->current().showsRunProgress());
    if (!isShown) m_navigator->show(QStringLiteral("training"));
    if (page != kCurrent) centralWidget()->setFocus();  // Space and the arrow keys now control the run
}

// Removes the shown run from the pages unless the run is live. Called when the form contains another experiment.
void MainWindow::closeRun() {
    m_watch.showExperimentForm();
    if (!m_controller.isLive()) m_notice->hide();
    m_session.close();
    refreshRunActions();
}

void MainWindow::refreshTitle() {
    const QString path = m_experiment.filePath();
    const QString name =
        path.isEmpty() ? QString::fromStdString(m_experiment.config().name) : QFileInfo(path).fileName();
    const QString mark = m_experiment.isModified() ? QStringLiteral(" \u2022") : QString();
    m_experimentDock->setFileName(name + mark, path.isEmpty() ? tr("Not saved to a file yet") : path);
    setWindowTitle(QStringLiteral("%1%2 \u2013 Ringside").arg(name, mark));
}

void MainWindow::refreshRunActions() {
    const QString reason = m_session.whyNotRunnable();
    m_actions.run->setEnabled(reason.isEmpty());
    // Enables the shortcut m_blockedRun only while the action Run is disabled, because both use the same keys.
    m_blockedRun->setEnabled(!reason.isEmpty());
    m_actions.run->setToolTip(reason.isEmpty() ? tr("Start training, one process per rank (Ctrl+R)") : reason);
    m_actions.resume->setEnabled(m_session.canResume());
    const RunController::State state = m_controller.state();
    m_actions.stop->setEnabled(m_controller.isLive() && state != RunController::State::Stopping);
    m_actions.detach->setEnabled(state == RunController::State::Running);
    m_topBar->setRunBlocked(m_session.isBlockedVisibly() ? QString() : reason);
    m_topBar->refreshEpochs();
}

// Shows the reason why Run is disabled when its key is pressed.
void MainWindow::showWhyNotRunnable() {
    ExperimentForm& form = m_experimentDock->form();
    if (!m_controller.isLive() && !m_experiment.problems().empty()) m_experimentDock->show();
    if (!m_controller.isLive() && form.isVisible() && form.focusFirstProblem()) return;
    showMessage(m_session.whyNotRunnable());
}

// Fills the menu with the live runs in three folders (that of the last run, that of the shown run, and the default
// folder), and with an entry that opens any other run directory.
void MainWindow::fillLiveRuns() {
    QMenu& menu = *m_actions.liveRuns;
    menu.clear();
    const QStringList found = liveRuns({QFileInfo(m_services.settings.get(settings::kLastRun)).absolutePath(),
                                        QFileInfo(m_session.directory()).absolutePath()});
    for (const QString& run : found) {
        menu.addAction(QFileInfo(run).fileName(), this, [this, run] { openRun(run); })->setToolTip(run);
    }
    if (found.isEmpty()) menu.addAction(tr("No live run found"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(m_actions.attachRun);
}

// Shows the sentence in the status bar for 8 seconds. Does not use the message bar above the pages, which would move
// the pages down.
void MainWindow::showMessage(const QString& sentence) {
    constexpr int kShownMs = 8000;
    m_notice->dismissFailure();
    statusBar()->showMessage(sentence, kShownMs);
}

void MainWindow::showFailure(const QString& sentence) {
    m_notice->showMessage(sentence, NoticeBar::Tone::Danger);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!m_closeQuestion.mayClose()) return event->ignore();
    m_saved->save();
    event->accept();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    m_experimentDock->fitTo(width());
}

// Handles the keys that no control has handled, such as Space and the arrow keys.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (!m_timeControls.handleKey(*event)) QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty()) return;
    event->acceptProposedAction();
    if (urls.size() > 1)
        m_notice->showMessage(tr("%1 files were dropped. Ringside opens the first one.").arg(urls.size()));
    m_files.open(urls.first().toLocalFile());
}

void MainWindow::contextMenuEvent(QContextMenuEvent* event) {
    const std::vector<Identity> things = IdentityMenu::identitiesUnder(*this, event->pos());
    if (things.empty()) return event->ignore();
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("identityMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    m_identityMenu->fill(*menu, things);
    menu->popup(event->globalPos());
    event->accept();
}

}  // namespace ringside
