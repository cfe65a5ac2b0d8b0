// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that remembers its state from one start to the next, and closes.
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

constexpr QSize kLeastSize{960, 600};

// True if a window of that process ended without closing. A second window beside the first is no failure.
bool hasFailed(qint64 process) {
    return process > 0 && process != QCoreApplication::applicationPid() &&
           !QFileInfo::exists(QStringLiteral("/proc/%1").arg(process));
}

}  // namespace

void MainWindow::restore() {
    if (gpuDriverLoaded()) m_devices.ask();  // without a driver there is nothing to ask
    m_services.theme.setTypePercent(m_services.settings.get(settings::kTypePercent));
    const qint64 before = m_services.settings.get(settings::kProcess);
    m_services.settings.set(settings::kProcess, QCoreApplication::applicationPid());
    if (hasFailed(before)) return askAfterCrash();
    restoreSession();
}

// What is remembered may be what the window failed on.
void MainWindow::askAfterCrash() {
    m_services.dialogs.ask({tr("Ringside did not close properly"),
                            tr("Ringside can restore its layout and the unsaved experiment of the last time, or start "
                               "without them if they caused the failure. A run that is live continues in both cases."),
                            {tr("Restore"), tr("Start without")}},
                           [this](int answer) {
                               if (answer == 0) return restoreSession();
                               resetLayout();
                               offerLastRun();
                           });
}

void MainWindow::restoreSession() {
    restoreGeometry(m_services.settings.get(settings::kGeometry));
    // Remembered from a larger screen, or from one with a smaller scale factor; but large enough to be read.
    resize(size().boundedTo(screen()->availableSize()).expandedTo(kLeastSize));
    restoreState(m_services.settings.get(settings::kLayout));
    m_form->setFolded(m_services.settings.get(settings::kFolded));
    const bool reduceMotion = m_services.settings.get(settings::kReduceMotion);
    m_actions.reduceMotion->setChecked(reduceMotion);
    setReduceMotion(reduceMotion);
    m_navigator->show(m_services.settings.get(settings::kPage));
    const bool isOpen =
        m_experiment.isModified() || !m_experiment.filePath().isEmpty();  // while the question was asked
    if (!isOpen) m_files.restoreDraft();
    offerLastRun();
}

void MainWindow::offerLastRun() {
    const QString last = m_services.settings.get(settings::kLastRun);
    if (last.isEmpty()) return;
    if (!isRunAlive(last.toStdString())) return offerResume(last);
    m_notice->offer(tr("The run in %1 is still live.").arg(last), tr("Attach"), [this, last] { openRun(last); });
}

// What was stopped on request goes on from its checkpoint, if it is wanted.
void MainWindow::offerResume(const QString& directory) {
    const RunPaths paths(directory.toStdString());
    const Result<RunSummary> summary = readRunSummary(paths.summary());
    if (!summary || summary.value().state != "stopped") return;
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
    if (m_controller.isLive() && !m_closing) {
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
    m_services.dialogs.ask({tr("A run is live"),
                            tr("It can go on without the window, and you can attach to it again later."),
                            {tr("Keep running"), tr("Stop and save"), tr("Cancel")}},
                           [this](int answer) {
                               m_closeWhenOver = answer != 2;
                               if (answer == 2) return;
                               if (!m_controller.isLive()) return closeSoon();  // it ended while the question stood
                               answer == 0 ? m_controller.detach() : m_controller.stop();
                           });
}

// Queued, because a close inside a close is ignored.
void MainWindow::closeSoon() {
    m_closing = true;
    QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection);
}

}  // namespace ringside
