// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/saved_session.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QScreen>

#include "dialogs/dialogs.h"
#include "experiment/experiment_form.h"
#include "main_window/actions/appearance.h"
#include "main_window/bars/notice_bar.h"
#include "main_window/session/experiment_files.h"
#include "main_window/session/run_session.h"
#include "models/experiment_model.h"
#include "pages/navigator.h"
#include "run/read/recorded_config.h"
#include "run/read/run_directory.h"
#include "run/read/run_life.h"
#include "run/read/run_summary.h"
#include "settings/settings.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr QSize kMinSize{960, 480};
constexpr int kTitleBar = 32;  // height that is reserved for the title bar, in pixels

// True if the Ringside process with this id, whose window was never closed, is not running any more, for example after
// a crash.
bool hasFailed(qint64 process) {
    return process > 0 && process != QCoreApplication::applicationPid() &&
           !QFileInfo::exists(QStringLiteral("/proc/%1").arg(process));
}

}  // namespace

SavedSession::SavedSession(const Dependencies& dependencies)
    : QObject(&dependencies.window), m_in(dependencies), m_firstLayout(dependencies.window.saveState()) {}

void SavedSession::restore() {
    m_in.appearance.restore();
    const qint64 before = m_in.settings.get(settings::kProcess);
    m_in.settings.set(settings::kProcess, QCoreApplication::applicationPid());
    if (hasFailed(before)) return offerSafeStart();
    restoreWindowAndDraft();
}

// Asks the user whether to restore the last session, before anything is restored, because the stored layout or
// experiment may have caused the crash.
void SavedSession::offerSafeStart() {
    m_in.dialogs.showQuestion(
        {tr("Ringside did not close properly"),
         tr("Ringside can restore the layout and the unsaved experiment of the last session. If they may have caused "
            "the crash, start without them. A live run continues in both cases."),
         {tr("Restore"), tr("Start without")}},
        [this](int answer) {
            if (answer == 0) return restoreWindowAndDraft();
            resetLayout();
            m_in.files.saveDraftOnChanges();
            offerLastRun();
        });
}

void SavedSession::restoreWindowAndDraft() {
    QMainWindow& window = m_in.window;
    window.restoreGeometry(m_in.settings.get(settings::kGeometry));
    // Limits the window to the size of the screen: the stored size can come from a larger screen or from a smaller
    // scale factor.
    const QSize room = window.screen()->availableSize() - QSize(0, kTitleBar);
    window.resize(window.size().boundedTo(room).expandedTo(kMinSize));
    window.restoreState(m_in.settings.get(settings::kLayout));
    m_in.form.setFolded(m_in.settings.get(settings::kFolded));
    m_in.pages.show(m_in.settings.get(settings::kPage));
    // Restores the unsaved experiment only if the form is unchanged, because the user may have opened or edited an
    // experiment before the answer to offerSafeStart().
    if (!m_in.experiment.isModified() && m_in.experiment.filePath().isEmpty()) m_in.files.restoreDraft();
    m_in.files.saveDraftOnChanges();
    offerLastRun();
}

void SavedSession::offerLastRun() {
    const QString last = m_in.settings.get(settings::kLastRun);
    if (last.isEmpty() || last == m_in.session.directory()) return;
    if (!isRunAlive(last.toStdString())) return offerResume(last);
    m_in.notice.offer(tr("The run in %1 is still live.").arg(last), tr("Attach"), [this, last] {
        m_in.session.open(last, RunSession::AfterOpening::kShow, [this] { offerLastRun(); });
    });
}

// If the user stopped the last run, offers to resume it from its checkpoint.
void SavedSession::offerResume(const QString& directory) {
    const RunPaths paths(directory.toStdString());
    const Result<RunSummary> summary = readRunSummary(paths.summary());
    if (!summary || summary.value().state != RunOutcome::kStopped) return;
    if (!QDir(directory + QStringLiteral("/checkpoints")).exists()) return;
    const Result<RunConfig> config = readRecordedConfig(paths);
    const QString name = config && !config.value().name.empty() ? QString::fromStdString(config.value().name)
                                                                : QFileInfo(directory).fileName();
    m_in.notice.offer(
        tr("%1 was stopped after step %2; its checkpoint is kept.").arg(name, groupedText(summary.value().steps)),
        tr("Resume"), [this, directory] {
            m_in.session.open(directory, RunSession::AfterOpening::kResume, [this] { offerLastRun(); });
        });
}

void SavedSession::save() {
    m_in.settings.set(settings::kGeometry, m_in.window.saveGeometry());
    m_in.settings.set(settings::kLayout, m_in.window.saveState());
    m_in.settings.set(settings::kFolded, m_in.form.folded());
    m_in.settings.set(settings::kPage, m_in.pages.current().name());
    m_in.files.saveDraft();
    m_in.settings.set(settings::kProcess, qint64{0});
}

void SavedSession::resetLayout() {
    m_in.window.restoreState(m_firstLayout);
    m_in.settings.remove(settings::kLayout);
    m_in.settings.remove(settings::kGeometry);
    m_in.pages.show(m_in.pages.names().first());
}

}  // namespace ringside
