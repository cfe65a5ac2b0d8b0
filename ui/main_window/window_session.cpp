// SPDX-License-Identifier: GPL-3.0-or-later
// Part of MainWindow: restores the state of the last start, and closes the window.
#include <QCloseEvent>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QScreen>

#include "base/json/json.h"
#include "devices/gpu_probe.h"
#include "dialogs/dialogs.h"
#include "experiment/experiment_form.h"
#include "main_window/main_window.h"
#include "run/read/run_directory.h"
#include "run/read/run_life.h"
#include "run/read/run_summary.h"
#include "settings/settings.h"
#include "theme/theme.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr QSize kLeastSize{960, 480};
constexpr int kTitleBar = 32;  // height that the title bar may take

// True if the process has ended without closing its window. False if it is still open beside this one.
bool hasFailed(qint64 process) {
    return process > 0 && process != QCoreApplication::applicationPid() &&
           !QFileInfo::exists(QStringLiteral("/proc/%1").arg(process));
}

}  // namespace

void MainWindow::restore() {
    if (gpuDriverLoaded()) m_devices.ask();
    m_services.theme.setTypePercent(m_services.settings.get(settings::kTypePercent));
    const qint64 before = m_services.settings.get(settings::kProcess);
    m_services.settings.set(settings::kProcess, QCoreApplication::applicationPid());
    if (hasFailed(before)) return askAfterCrash();
    restoreSession();
}

// Asks before anything is restored, because the stored layout or experiment may have caused the failure.
void MainWindow::askAfterCrash() {
    m_services.dialogs.ask(
        {tr("Ringside did not close properly"),
         tr("Ringside can restore the layout and the unsaved experiment of the last session, or start "
            "without them if they caused the failure. A live run continues in both cases."),
         {tr("Restore"), tr("Start without")}},
        [this](int answer) {
            if (answer == 0) return restoreSession();
            resetLayout();
            m_files.keepDraftFromNowOn();
            offerLastRun();
        });
}

void MainWindow::restoreSession() {
    restoreGeometry(m_services.settings.get(settings::kGeometry));
    // The stored size can come from a larger screen or a smaller scale factor.
    const QSize room = screen()->availableSize() - QSize(0, kTitleBar);
    resize(size().boundedTo(room).expandedTo(kLeastSize));
    restoreState(m_services.settings.get(settings::kLayout));
    m_form->setFolded(m_services.settings.get(settings::kFolded));
    const bool reduceMotion = m_services.settings.get(settings::kReduceMotion);
    m_actions.reduceMotion->setChecked(reduceMotion);
    setReduceMotion(reduceMotion);
    m_navigator->show(m_services.settings.get(settings::kPage));
    // An experiment that was opened or edited before the answer stays.
    if (!m_experiment.isModified() && m_experiment.filePath().isEmpty()) m_files.restoreDraft();
    m_files.keepDraftFromNowOn();
    offerLastRun();
}

void MainWindow::offerLastRun() {
    const QString last = m_services.settings.get(settings::kLastRun);
    if (last.isEmpty()) return;
    if (!isRunAlive(last.toStdString())) return offerResume(last);
    m_notice->offer(tr("The run in %1 is still live.").arg(last), tr("Attach"), [this, last] { openRun(last); });
}

// Offers to resume the last run from its checkpoint if the user stopped it.
void MainWindow::offerResume(const QString& directory) {
    const RunPaths paths(directory.toStdString());
    const Result<RunSummary> summary = readRunSummary(paths.summary());
    if (!summary || summary.value().state != RunOutcome::kStopped) return;
    if (!QDir(directory + QStringLiteral("/checkpoints")).exists()) return;
    const Result<Json> config = readJsonFile(paths.config());
    const QString name = config && config.value().contains("name") && config.value()["name"].is_string()
                             ? QString::fromStdString(config.value()["name"].get<std::string>())
                             : QFileInfo(directory).fileName();
    m_notice->offer(
        tr("%1 was stopped after step %2; its checkpoint is kept.").arg(name, groupedText(summary.value().steps)),
        tr("Resume"), [this, directory] { openRun(directory, AfterOpening::kResume); });
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_controller.isLive() && m_closing != Closing::kNow) {
        event->ignore();
        return askBeforeClosing();
    }
    m_services.settings.set(settings::kGeometry, saveGeometry());
    m_services.settings.set(settings::kLayout, saveState());
    m_services.settings.set(settings::kFolded, m_form->folded());
    m_services.settings.set(settings::kPage, m_navigator->current().name());
    m_files.keepDraft();
    m_services.settings.set(settings::kProcess, qint64{0});
    event->accept();
}

void MainWindow::askBeforeClosing() {
    const bool isWatched = m_run.isWatched();
    m_services.dialogs.ask(
        {isWatched ? tr("A watched script is running") : tr("A run is live"),
         tr("It can continue without the window, and you can attach to it again later."),
         {tr("Keep running"), isWatched ? tr("Stop the script") : tr("Stop and save"), tr("Cancel")}},
        [this](int answer) {
            m_closing = answer != 2 ? Closing::kWhenOver : Closing::kNo;
            if (answer == 2) return;
            if (!m_controller.isLive()) return closeAfterEvents();  // the run ended before the answer
            answer == 0 ? m_controller.detach() : m_controller.stop();
        });
}

// Queued, because a close inside a close is ignored.
void MainWindow::closeAfterEvents() {
    m_closing = Closing::kNow;
    QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection);
}

}  // namespace ringside
