// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/main_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QStandardPaths>
#include <QStatusBar>
#include <filesystem>
#include <utility>

#include "base/system/resource_directory.h"
#include "commands/command_palette.h"
#include "commands/keys_dialog.h"
#include "commands/setting_commands.h"
#include "controls/elided_label.h"
#include "controls/tone.h"
#include "devices/devices_dialog.h"
#include "diagnostics/debug_overlay.h"
#include "dialogs/dialogs.h"
#include "experiment/experiment_form.h"
#include "experiment/model_summary_dialog.h"
#include "help/help_dialog.h"
#include "identity/text_source.h"
#include "loading/loader_sweep_dialog.h"
#include "main_window/identity_menu.h"
#include "main_window/live_runs.h"
#include "main_window/run_experiment.h"
#include "main_window/top_bar.h"
#include "ranks/rank_strip.h"
#include "run/read/run_directory.h"
#include "settings/settings.h"
#include "theme/desktop_motion.h"
#include "theme/theme.h"
#include "timeline/page/timeline_page.h"
#include "words/changed_fields.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

void showAbout(Dialogs& dialogs) {
    dialogs.ask(
        {MainWindow::tr("About Ringside"),
         MainWindow::tr("Ringside %1\n\nSee and run distributed training.\n\nThe window is GPL-3.0-or-later, the "
                        "engine Apache-2.0. The digits: Alpaydin and Kaynak, UCI Machine Learning Repository, "
                        "CC BY 4.0.")
             .arg(QCoreApplication::applicationVersion()),
         {MainWindow::tr("Close")}},
        [](int) {});
}

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
      m_watch(m_actions, {m_run, m_controller, services.settings, services.dialogs, services.theme}, this) {
    setAcceptDrops(true);
    buildLayout();
    connectActions();
    connectModels();
    refreshTitle();
    refreshRunActions();
}

MainWindow::~MainWindow() = default;

void MainWindow::connectActions() {
    const WindowActions& a = m_actions;
    connect(a.newExperiment, &QAction::triggered, &m_files, [this] { m_files.startNew(); });
    m_actions.addExamples([this](const QString& resource) { m_files.startExample(resource); });
    connect(a.open, &QAction::triggered, &m_files, &ExperimentFiles::chooseAndOpen);
    connect(a.openData, &QAction::triggered, &m_files, &ExperimentFiles::chooseData);
    connect(a.openDataFolder, &QAction::triggered, &m_files, &ExperimentFiles::chooseDataFolder);
    connect(a.save, &QAction::triggered, &m_files, &ExperimentFiles::save);
    connect(a.saveAs, &QAction::triggered, &m_files, &ExperimentFiles::saveAs);
    for (QAction* action : {a.openRun, a.attachRun}) {
        connect(action, &QAction::triggered, this, [this] {
            const QString last = QFileInfo(m_services.settings.get(settings::kLastRun)).absolutePath();
            m_services.dialogs.openFolder(tr("Choose a run directory"), last,
                                          [this](const QString& path) { openRun(path); });
        });
    }
    connect(a.quit, &QAction::triggered, this, &QWidget::close);
    connect(a.savePage, &QMenu::aboutToShow, this, [this] {
        m_actions.savePage->clear();
        m_actions.savePage->addActions(m_navigator->current().exportActions());
    });
    connect(a.liveRuns, &QMenu::aboutToShow, this, &MainWindow::fillLiveRuns);
    connect(a.recent, &QMenu::aboutToShow, this, [this] { m_files.fillRecent(*m_actions.recent); });
    connect(a.run, &QAction::triggered, this, &MainWindow::startRun);
    m_blockedRun = new QShortcut(a.run->shortcut(), this, this, &MainWindow::showWhyNotRunnable);
    connect(a.resume, &QAction::triggered, this, &MainWindow::resumeRun);
    connect(&m_cluster, &ClusterActions::runHere, this, &MainWindow::startRun);
    connect(&m_cluster, &ClusterActions::runBegan, this, &MainWindow::followCluster);
    connect(&m_watch, &WatchActions::watchWanted, this, [this](const WatchRequest& request) {
        m_files.afterAsking([this, request] {
            m_adoptsRunConfig = true;
            m_notice->hide();
            m_started.reset();
            m_controller.watch(request);
            m_navigator->show(QStringLiteral("training"));
            centralWidget()->setFocus();
        });
    });
    connect(a.exportScript, &QAction::triggered, &m_scripts, &ScriptExport::choose);
    connect(a.stop, &QAction::triggered, &m_controller, &RunController::stop);
    connect(m_topBar, &TopBar::speedChosen, &m_timeControls, &TimeControls::setSpeed);
    connect(&m_timeControls, &TimeControls::speedChanged, m_topBar, &TopBar::setSpeed);
    connect(a.detach, &QAction::triggered, &m_controller, &RunController::detach);
    connect(a.previousEpoch, &QAction::triggered, this, [this] { m_plan.setEpoch(m_plan.epoch() - 1); });
    connect(a.nextEpoch, &QAction::triggered, this, [this] { m_plan.setEpoch(m_plan.epoch() + 1); });
    connect(a.theme, &QAction::triggered, this, [this] { setTheme(m_services.theme.mode() == Theme::Mode::Light); });
    connect(a.log, &QAction::toggled, m_logDock, &QWidget::setVisible);
    connect(a.experiment, &QAction::toggled, m_experimentDock, &QWidget::setVisible);
    connect(m_logDock, &QDockWidget::visibilityChanged, this,
            [this] { m_actions.log->setChecked(!m_logDock->isHidden()); });
    connect(m_experimentDock, &QDockWidget::visibilityChanged, this,
            [this] { m_actions.experiment->setChecked(!m_experimentDock->isHidden()); });
    m_actions.experiment->setChecked(true);
    for (const auto& [action, steps] : {std::pair(a.largerType, 1), std::pair(a.smallerType, -1)}) {
        connect(action, &QAction::triggered, this,
                [this, steps = steps] { setTypePercent(m_services.theme.nextTypePercent(steps)); });
    }
    connect(a.normalType, &QAction::triggered, this, [this] { setTypePercent(Theme::kNormalType); });
    connect(a.reduceMotion, &QAction::toggled, this, &MainWindow::setReduceMotion);
    m_actions.debugOverlay->setVisible(m_overlay != nullptr);
    if (m_overlay) connect(a.debugOverlay, &QAction::toggled, m_overlay, &QWidget::setVisible);
    connect(a.resetLayout, &QAction::triggered, this, &MainWindow::resetLayout);
    connect(a.palette, &QAction::triggered, this, &MainWindow::showFinder);
    connect(a.help, &QAction::triggered, this, &MainWindow::showHelpOnControl);
    connect(a.documents, &QAction::triggered, this, [this] { showHelp(topicOf(nullptr)); });
    connect(a.copy, &QAction::triggered, this, &MainWindow::copyAsText);
    connect(a.otherPart, &QAction::triggered, this, &MainWindow::goToOtherPart);
    connect(a.devices, &QAction::triggered, this,
            [this] { (new DevicesDialog(m_experiment, m_devices, m_services.theme, this))->show(); });
    connect(a.modelSummary, &QAction::triggered, this, &MainWindow::showModelSummary);
    connect(a.keys, &QAction::triggered, this,
            [this] { (new KeysDialog(m_actions.all(), m_navigator->pages(), this))->open(); });
    connect(a.about, &QAction::triggered, this, [this] { showAbout(m_services.dialogs); });
}

void MainWindow::connectModels() {
    connect(&m_experiment, &ExperimentModel::configChanged, this, &MainWindow::refreshRunActions);
    connect(&m_experiment, &ExperimentModel::configChanged, this, &MainWindow::showFormChanges);
    connect(&m_experiment, &ExperimentModel::dataChanged, this, &MainWindow::refreshRunActions);
    connect(&m_experiment, &ExperimentModel::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_experiment.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::refreshTitle);
    connect(&m_devices, &DeviceQuery::answered, &m_experiment, &ExperimentModel::setHost);
    connect(&m_controller, &RunController::stateChanged, this, &MainWindow::showRunState);
    connect(&m_controller, &RunController::mayStartAgainChanged, m_ranks, &RankStrip::setMayStartAgain);
    connect(&m_run, &RunModel::changed, this, [this](unsigned changes) {
        if (changes & kRunStartedChanged) applyRunConfig();
    });
    connect(&m_files, &ExperimentFiles::saved, this, &MainWindow::showSaved);
    connect(&m_files, &ExperimentFiles::begun, this, &MainWindow::forgetRun);
    connect(&m_files, &ExperimentFiles::done, m_notice, &NoticeBar::dismissFailure);
    connect(&m_files, &ExperimentFiles::failed, this,
            [this](const QString& message) { m_notice->say(message, NoticeBar::Tone::Danger); });
    connect(&m_scripts, &ScriptExport::failed, this,
            [this](const QString& message) { m_notice->say(message, NoticeBar::Tone::Danger); });
    connect(&m_scripts, &ScriptExport::written, this, [this](const QString& message) { m_notice->say(message); });
    connect(&m_watch, &WatchActions::failed, this,
            [this](const QString& message) { m_notice->say(message, NoticeBar::Tone::Danger); });
    connect(&m_files, &ExperimentFiles::scriptChosen, &m_watch, &WatchActions::openDialog);
    connect(&m_files, &ExperimentFiles::scriptChosen, m_notice, &NoticeBar::dismissFailure);
    connect(&m_files, &ExperimentFiles::runDirectoryChosen, this, [this](const QString& path) { openRun(path); });
    connect(&m_files, &ExperimentFiles::dataChosen, &m_import, &DataImport::look);
    connect(&m_files, &ExperimentFiles::dataChosen, m_notice, &NoticeBar::dismissFailure);
    connect(&m_import, &DataImport::runFound, this, [this](const QString& path) { openRun(path); });
    connect(&m_import, &DataImport::experimentFound, &m_files, &ExperimentFiles::openExperiment);
    connect(m_form, &ExperimentForm::browseRequested, &m_files, [this] {
        const bool folder = m_experiment.config().dataset.kind == DatasetKind::kImageFolder;
        folder ? m_files.chooseDataFolder() : m_files.chooseData();
    });
    connect(m_form, &ExperimentForm::sweepRequested, this, [this] {
        (new LoaderSweepDialog(m_experiment, m_services.theme, m_services.controlProgram, this))->show();
    });
    connect(m_form, &ExperimentForm::summaryRequested, this, &MainWindow::showModelSummary);
    connect(m_topBar, &TopBar::reasonClicked, this, &MainWindow::showWhyNotRunnable);
    const auto nameTheme = [this] {
        const bool light = m_services.theme.mode() == Theme::Mode::Light;
        m_actions.theme->setText(light ? tr("&Dark theme") : tr("&Light theme"));
        m_actions.theme->setIconText(light ? tr("Dark") : tr("Light"));
    };
    connect(&m_services.theme, &Theme::changed, this, nameTheme);
    nameTheme();
}

// Handles keys that no control has used.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (!m_timeControls.handleKey(*event)) QMainWindow::keyPressEvent(event);
}

void MainWindow::refreshTitle() {
    const QString path = m_experiment.filePath();
    const QString name =
        path.isEmpty() ? QString::fromStdString(m_experiment.config().name) : QFileInfo(path).fileName();
    const QString mark = m_experiment.isModified() ? QStringLiteral(" \u2022") : QString();
    m_fileName->setText(name + mark);
    m_fileName->setToolTip(path.isEmpty() ? tr("Not saved to a file yet") : path);
    setWindowTitle(QStringLiteral("%1%2 \u2013 Ringside").arg(name, mark));
}

QString MainWindow::whyNotRunnable() const {
    const bool isWatched = m_run.isWatched();
    if (m_controller.isLive())
        return isWatched ? tr("A watched script is running: wait for its end, or stop it first.")
                         : tr("A run is live: stop it first.");
    if (m_experiment.config().dataset.kind == DatasetKind::kExternal)
        return tr(
            "A watched script is shown: click Watch on the left to start it again, or choose File > New "
            "experiment to train with Ringside.");
    if (!m_experiment.problems().empty()) {
        return inFormWords(QString::fromStdString(m_experiment.problems().front().text()));
    }
    if (m_experiment.isLoadingData()) return tr("The data set is being loaded.");
    return {};
}

void MainWindow::refreshRunActions() {
    const QString reason = whyNotRunnable();
    m_actions.run->setEnabled(reason.isEmpty());
    m_blockedRun->setEnabled(!reason.isEmpty());  // both shortcuts at once would be ambiguous
    m_actions.run->setToolTip(reason.isEmpty() ? tr("Start training, one process per rank (Ctrl+R)") : reason);
    m_actions.resume->setEnabled(canResume());
    const RunController::State state = m_controller.state();
    m_actions.stop->setEnabled(m_controller.isLive() && state != RunController::State::Stopping);
    m_actions.detach->setEnabled(state == RunController::State::Running);
    const bool isExternal = m_experiment.config().dataset.kind == DatasetKind::kExternal;
    const bool isQuiet = m_controller.isLive() || m_experiment.isLoadingData() || isExternal;
    m_topBar->setRunBlocked(isQuiet ? QString() : reason);
    m_topBar->refreshEpochs();
}

// Shows the reason why Run is disabled when its key is pressed.
void MainWindow::showWhyNotRunnable() {
    if (!m_controller.isLive() && !m_experiment.problems().empty()) m_experimentDock->show();
    if (!m_controller.isLive() && m_form->isVisible() && m_form->focusFirstProblem()) return;
    showSaved(whyNotRunnable());
}

void MainWindow::startRun() {
    if (!whyNotRunnable().isEmpty()) return;
    m_adoptsRunConfig = false;
    m_notice->hide();
    m_started = m_experiment.config();
    m_controller.start(m_experiment.resolvedConfig(), {});
    if (!m_navigator->current().followsRuns()) m_navigator->show(QStringLiteral("training"));
    centralWidget()->setFocus();  // so that Space and the arrow keys control the run
}

// Shows a run of this experiment that a cluster or classroom has started.
void MainWindow::followCluster(const QString& directory) {
    m_adoptsRunConfig = false;
    m_notice->hide();
    m_started = m_experiment.config();
    m_controller.attach(directory);
    m_navigator->show(QStringLiteral("training"));
}

bool MainWindow::canResume() const {
    return !m_controller.isLive() && !m_shownRun.isEmpty() && m_run.data().ended() &&
           !m_run.data().checkpoints().empty();
}

// Resumes the shown run from its newest checkpoint with the settings of the form, such as more epochs or another
// learning rate.
void MainWindow::resumeRun() {
    if (!canResume()) return;
    RunConfig config = m_experiment.resolvedConfig();
    config.training.resume = m_shownRun.toStdString();
    m_adoptsRunConfig = false;
    m_notice->hide();
    m_started = m_experiment.config();
    m_controller.start(config, {});
    m_navigator->show(QStringLiteral("training"));
}

// Lists the live runs next to the last run and in the default folder, and an entry for any other directory.
void MainWindow::fillLiveRuns() {
    QMenu& menu = *m_actions.liveRuns;
    menu.clear();
    const QStringList found = liveRuns(
        {QFileInfo(m_services.settings.get(settings::kLastRun)).absolutePath(), QFileInfo(m_shownRun).absolutePath()});
    for (const QString& run : found) {
        menu.addAction(QFileInfo(run).fileName(), this, [this, run] { openRun(run); })->setToolTip(run);
    }
    if (found.isEmpty()) menu.addAction(tr("No live run in this window"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(m_actions.attachRun);
}

// Shows the sentence in the status bar for some seconds, because a notice would move everything below it.
void MainWindow::showSaved(const QString& sentence) {
    constexpr int kSavedMs = 8000;
    m_notice->dismissFailure();
    statusBar()->showMessage(sentence, kSavedMs);
}

// Removes a finished run from the pages when another experiment is in the form.
void MainWindow::forgetRun() {
    m_watch.showForm();
    if (m_controller.isLive()) return showFormChanges();
    m_shownRun.clear();
    m_started.reset();
    m_notice->hide();
    m_controller.forget();
    m_plan.setEpoch(0);
    showFormChanges();
    refreshRunActions();
}

// Shows in which fields the form differs from the shown run.
void MainWindow::showFormChanges() {
    constexpr qsizetype kMostNamed = 3;
    const bool live = m_controller.isLive();
    const QStringList since = m_started ? changedFields(*m_started, m_experiment.config()) : QStringList();
    m_run.setFormDiffers(!since.isEmpty());
    const QStringList changed = live ? since : differencesFromRun();
    m_changes->setVisible(!changed.isEmpty());
    offerApplyNow();
    if (changed.isEmpty()) return;
    const QString named = changed.first(std::min(kMostNamed, changed.size())).join(QStringLiteral(", "));
    const QString rest = changed.size() > kMostNamed ? tr(" and %1 more").arg(changed.size() - kMostNamed) : QString();
    setTone(m_changes, live ? "warning" : "");
    m_changes->setText((live ? tr("These changes apply to the next run: %1. The live run keeps its settings.")
                             : tr("The form differs from the experiment of the run on screen in: %1."))
                           .arg(named + rest));
}

// Returns the settings in which the form differs from the run that is shown.
QStringList MainWindow::differencesFromRun() const {
    const auto& started = m_run.data().started();
    if (!started || m_run.expected()) return {};
    const std::optional<RunConfig> run = experimentOf(*started);
    RunConfig form = m_experiment.resolvedConfig();
    if (!run || isSameExperiment(*run, form)) return {};
    // The learning rate is compared with that of the live run, unless it is unchanged since the start.
    if (m_started && m_started->optimizer.lr == form.optimizer.lr) form.optimizer.lr = run->optimizer.lr;
    if (m_started && m_started->training.epochs == form.training.epochs) form.training.epochs = run->training.epochs;
    form.training.resume = run->training.resume;
    form.parallel.backend = run->parallel.backend;
    form.parallel.device = run->parallel.device;
    return changedFields(*run, form);
}

// Offers to change the learning rate and the number of epochs of a live run.
void MainWindow::offerApplyNow() {
    const RunConfig& config = m_experiment.config();
    const bool can =
        m_started && m_controller.state() == RunController::State::Running && m_experiment.problems().empty();
    const bool rate = can && m_started->scaledLearningRate() != config.scaledLearningRate() &&
                      m_started->optimizer.lr != config.optimizer.lr;
    const bool epochs = can && m_started->training.epochs != config.training.epochs;
    m_applyNow->setVisible(rate || epochs);
    if (!rate && !epochs) return;
    const QString what = rate && epochs ? tr("learning rate and epochs") : rate ? tr("learning rate") : tr("epochs");
    m_applyNow->setText(tr("Apply %1 now").arg(what));
    m_applyNow->setAccessibleName(m_applyNow->text());
    m_applyNow->setToolTip(tr("Applies the change to the live run from its next step on; checkpoints contain it"));
}

void MainWindow::applyNow() {
    if (!m_started) return;
    const RunConfig& config = m_experiment.config();
    if (m_started->optimizer.lr != config.optimizer.lr) {
        m_controller.sendCommand({ControlKind::kLearningRate, config.scaledLearningRate()});
        m_started->optimizer.lr = config.optimizer.lr;
    }
    if (m_started->training.epochs != config.training.epochs) {
        m_controller.sendCommand({ControlKind::kEpochs, static_cast<double>(config.training.epochs)});
        m_started->training.epochs = config.training.epochs;
    }
    showFormChanges();
}

bool MainWindow::openRun(const QString& runDirectory, AfterOpening after) {
    if (runDirectory.isEmpty()) return false;
    if (m_controller.isLive()) {
        m_notice->say(tr("A run is live: stop it, or keep it running in the background (Run menu), then open %1.")
                          .arg(runDirectory));
        return false;
    }
    const Result<RunPaths> found = openRunDirectory(runDirectory.toStdString());
    if (!found) {
        m_notice->say(QString::fromStdString(found.problem().text()), NoticeBar::Tone::Danger);
        return false;
    }
    const auto open = [this, runDirectory, after] {
        m_adoptsRunConfig = true;
        m_resumeWhenShown = after == AfterOpening::kResume;
        m_notice->hide();
        m_started.reset();
        m_controller.attach(runDirectory);
    };
    // The experiment of the run replaces that of the form.
    if (holdsExperiment(found.value(), m_experiment.resolvedConfig())) {
        open();
    } else {
        m_files.afterAsking(open);
    }
    return true;
}

// Puts the experiment of an opened run into the form, with its own name and without unsaved changes.
void MainWindow::applyRunConfig() {
    if (!m_adoptsRunConfig || !m_run.data().started()) return showFormChanges();
    m_adoptsRunConfig = false;
    const std::optional<RunConfig> config = experimentOf(*m_run.data().started());
    if (!config) return;
    if (!isSameExperiment(*config, m_experiment.resolvedConfig())) m_experiment.replace(*config, {});
    m_started = m_experiment.config();
    showFormChanges();
}

void MainWindow::showRunState(RunController::State state) {
    using enum RunController::State;
    // A refused start has no directory, and the previous run is still shown.
    if (!m_controller.runDirectory().isEmpty()) m_shownRun = m_controller.runDirectory();
    refreshRunActions();
    showFormChanges();
    m_ranks->setLive(m_controller.isLive());
    m_ranks->setLost(state == Failed && !m_run.data().ended());
    const bool isLiveOrKept = state == Running || (state == Idle && !m_controller.runDirectory().isEmpty());
    if (isLiveOrKept) m_services.settings.set(settings::kLastRun, m_controller.runDirectory());
    if (state == Running && !m_controller.message().isEmpty()) {  // the run did not stop
        m_closing = Closing::kNo;
        m_notice->say(m_controller.message(), NoticeBar::Tone::Danger);
    }
    if (state == Stopped && canResume()) {
        m_notice->offer(tr("Stopped. Its checkpoint is kept."), tr("Resume"), [this] { resumeRun(); });
    }
    if (state == Failed) {
        m_closing = Closing::kNo;                                   // the user must be able to read the message
        const bool began = !m_controller.runDirectory().isEmpty();  // a refused start has no log
        offerAfterFailure(began);
        if (began && m_run.data().ended()) m_logDock->show();
    }
    if (m_closing == Closing::kWhenOver && !m_controller.isLive()) {
        closeAfterEvents();
    } else if (m_resumeWhenShown && !m_controller.isLive() && state != Idle) {
        m_resumeWhenShown = false;
        // after this state has been reported
        QMetaObject::invokeMethod(this, &MainWindow::resumeRun, Qt::QueuedConnection);
    }
}

// Offers the timeline or the log after a failure. The log opens automatically if there are no traced steps.
void MainWindow::offerAfterFailure(bool began) {
    const auto& trace = m_run.data().trace();
    if (began && m_run.data().ended() && trace && !trace->steps().empty()) {
        m_notice->offer(
            m_controller.message(), tr("Show the last steps"),
            [this] {
                m_navigator->show(m_timeline->name());
                m_timeline->showEnd();
            },
            NoticeBar::Tone::Danger);
        return;
    }
    m_notice->offer(
        m_controller.message(), began ? tr("Show log") : QString(), [this] { m_logDock->show(); },
        NoticeBar::Tone::Danger);
}

void MainWindow::setTheme(bool dark) {
    m_services.theme.setMode(dark ? Theme::Mode::Dark : Theme::Mode::Light);
    m_services.settings.set(settings::kTheme, dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

void MainWindow::setTypePercent(int percent) {
    m_services.theme.setTypePercent(percent);
    m_services.settings.set(settings::kTypePercent, m_services.theme.typePercent());
    showSaved(tr("Type size: %1 %").arg(m_services.theme.typePercent()));
}

// Animations run only if neither this setting nor the desktop reduces motion.
void MainWindow::setReduceMotion(bool reduce) {
    const QString configFolder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    m_services.theme.setMotion(!reduce && !desktopReducesMotion(configFolder));
    m_services.settings.set(settings::kReduceMotion, reduce);
}

void MainWindow::showModelSummary() {
    auto* dialog = findChild<ModelSummaryDialog*>();
    if (!dialog) dialog = new ModelSummaryDialog(m_experiment, this);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    sizeForm();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty()) return;
    event->acceptProposedAction();
    if (urls.size() > 1) m_notice->say(tr("%1 files were dropped. Ringside opens the first one.").arg(urls.size()));
    m_files.open(urls.first().toLocalFile());
}

// Opens the command finder with all commands: those of the window, the exports of the page, speeds and settings.
void MainWindow::showFinder() {
    auto* owner = new QObject;
    const auto showSetting = [this](const char* path) {
        m_experimentDock->show();
        m_form->focusSetting(path);
    };
    const QList<QAction*> all = m_actions.all() + m_navigator->current().exportActions() +
                                m_timeControls.speedCommands(owner) + settingCommands(m_experiment, showSetting, owner);
    auto* finder = new CommandPalette(
        all, this, [this, owner](const QString& typed) { return numberCommands(m_experiment, typed, owner); });
    // A command runs after the finder is gone.
    connect(finder, &QObject::destroyed, owner, &QObject::deleteLater);
    finder->open();
}

// Shows the documentation of the control that has the focus. If no control has it, shows that of the current page.
void MainWindow::showHelpOnControl() {
    const QWidget* control = QApplication::focusWidget();
    const bool isWindow = control == centralWidget() || control == this;
    showHelp(topicOf(isWindow ? &m_navigator->current() : control));
}

void MainWindow::showHelp(const HelpTopic& topic) {
    const Result<std::filesystem::path> folder = resourcePath("docs");
    if (!folder) return m_notice->say(QString::fromStdString(folder.problem().text()), NoticeBar::Tone::Danger);
    auto* dialog = findChild<HelpDialog*>();
    if (dialog == nullptr) dialog = new HelpDialog(QString::fromStdString(folder.value().string()), this);
    dialog->show(topic);
}

void MainWindow::copyAsText() {
    QString text = textAround(QApplication::focusWidget());
    if (text.isEmpty()) text = m_navigator->current().copyText();
    if (text.isEmpty()) return showSaved(tr("There are no numbers to copy here"));
    QApplication::clipboard()->setText(text);
    const qsizetype lines = text.count(QLatin1Char('\n'));
    showSaved(lines <= kMostCopiedRows ? tr("Copied %1 lines").arg(lines)
                                       : tr("Copied the first %1 rows; More > Save the view as CSV writes all rows")
                                             .arg(groupedText(kMostCopiedRows)));
}

void MainWindow::contextMenuEvent(QContextMenuEvent* event) {
    const std::vector<Identity> things = IdentityMenu::below(*this, event->pos());
    if (things.empty()) return event->ignore();
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("identityMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    m_identityMenu->fill(*menu, things);
    menu->popup(event->globalPos());
    event->accept();
}

void MainWindow::goToOtherPart() {
    if (m_form->isAncestorOf(QApplication::focusWidget())) return m_navigator->focusPage();
    m_experimentDock->show();
    m_form->focusLast();
}

}  // namespace ringside
