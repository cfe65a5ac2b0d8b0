// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run_controller.h"

#include <QFileInfo>
#include <chrono>
#include <utility>

#include "config/run_config.h"
#include "models/run_model.h"
#include "run/read/run_directory.h"
#include "run/read/run_life.h"
#include "words/failure_cause.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr std::chrono::seconds kLaunchDeadline{60};
constexpr std::chrono::seconds kStopDeadline{30};
constexpr const char* kDirectoryPrefix = "run directory: ";

QString directoryIn(const QByteArray& text) {
    for (const QByteArray& line : text.split('\n')) {
        if (line.startsWith(kDirectoryPrefix)) return QString::fromUtf8(line.mid(qstrlen(kDirectoryPrefix))).trimmed();
    }
    return {};
}

}  // namespace

RunController::RunController(const QString& controlProgram, RunModel& model, QObject* parent)
    : QObject(parent), m_program(controlProgram), m_model(model) {
    m_deadline.setSingleShot(true);
    connect(&m_restartTimer, &QTimer::timeout, this, &RunController::checkForRestart);
    connect(&m_deadline, &QTimer::timeout, this, &RunController::deadlinePassed);
    connect(&m_model, &RunModel::changed, this, &RunController::readProgress);
    connect(&m_model, &RunModel::drained, this, [this] {
        if (m_viewerGone) concludeViewer();
    });
}

RunController::~RunController() {
    // Ends the two processes with which the window starts and follows the run. The run itself continues after the
    // window has closed.
    dropProcess(m_launcher);
    dropProcess(m_viewer);
}

void RunController::start(const RunConfig& config, const QString& runDirectory) {
    if (isLive()) return;
    resetForRun({});
    m_wasLive = true;
    m_model.setExpectedRun({config.parallel.worldSize, QString::fromStdString(config.name)});
    setState(State::Starting);
    m_launcher = newProcess();
    QStringList arguments{QStringLiteral("run"), QStringLiteral("-"), QStringLiteral("--detach")};
    if (!runDirectory.isEmpty()) arguments << QStringLiteral("--out") << runDirectory;
    if (std::exchange(m_reportSamples, false)) {
        arguments << QStringLiteral("--report-samples") << QStringLiteral("always");
    }
    connect(m_launcher, &QProcess::finished, this, &RunController::handleLauncherExit);
    connect(m_launcher, &QProcess::started, this, [this, text = QByteArray::fromStdString(config.toText())] {
        m_launcher->write(text);
        m_launcher->closeWriteChannel();
    });
    m_launcher->start(m_program, arguments);
    m_deadline.start(kLaunchDeadline);
}

void RunController::attach(const QString& runDirectory) {
    if (isLive()) return;
    resetForRun(runDirectory);
    m_wasLive = isRunAlive(runDirectory.toStdString());
    setState(State::Starting);
    followRun(runDirectory);
}

void RunController::watch(const WatchRequest& request) {
    if (isLive()) return;
    resetForRun({});
    m_wasLive = true;
    const QFileInfo script(request.script);
    m_model.setExpectedRun({0, script.completeBaseName(), script.fileName()});
    setState(State::Starting);
    m_watcher = new WatchProcess(m_program, this);
    connect(m_watcher, &WatchProcess::began, this, [this](const QString& directory) {
        dropWatcher();
        followRun(directory);
    });
    connect(m_watcher, &WatchProcess::ended, this, &RunController::watchEnded);
    m_watcher->start(request);
}

void RunController::watchEnded(const QString& why) {
    const bool wanted = m_watcher->isStopped();
    dropWatcher();
    if (wanted) return setState(State::Stopped, tr("The script was stopped before its first training step."));
    setState(State::Failed, why);
}

// Ignores from now on the command that watches a script. The command itself continues.
void RunController::dropWatcher() {
    if (!m_watcher) return;
    m_watcher->disconnect(this);
    m_watcher->deleteLater();
    m_watcher = nullptr;
}

void RunController::stop() {
    if (!isLive()) return;
    m_stopWanted = true;
    setState(State::Stopping);
    if (m_watcher) m_watcher->stop();
    if (m_viewer && m_viewer->state() == QProcess::Running) sendStop();
}

void RunController::close() {
    if (isLive()) return;
    resetForRun({});
    m_model.setDirectory({});
    m_model.reset();
    setState(State::Idle);
}

void RunController::sendCommand(const ControlCommand& command) {
    if (m_viewer && m_viewer->state() == QProcess::Running) m_viewer->write(encodeControl(command).c_str());
}

void RunController::detach() {
    if (!isLive()) return;
    // While the launcher runs, the controller detaches later: ending the launcher could prevent the start of the run.
    m_detachWanted = m_launcher != nullptr;
    if (m_detachWanted) return;
    resetForRun(m_runDirectory);
    setState(State::Idle, tr("The run continues without the window."));
}

void RunController::resetForRun(const QString& runDirectory) {
    stopRestartChecks();
    dropProcess(m_launcher);
    dropProcess(m_viewer);
    dropWatcher();
    m_deadline.stop();
    m_stopWanted = false;
    m_detachWanted = false;
    m_viewerGone = false;
    m_runDirectory = runDirectory;
}

QProcess* RunController::newProcess() {
    auto* process = new QProcess(this);
    connect(process, &QProcess::errorOccurred, this, [this, process](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) failedToStart(process);
    });
    return process;
}

void RunController::dropProcess(QProcess*& process) {
    if (!process) return;
    process->disconnect(this);
    // The QProcess deletes itself when its program has ended. Deleting it earlier would block until then.
    process->setParent(nullptr);
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
    } else {
        connect(process, &QProcess::finished, process, &QObject::deleteLater);
        process->kill();
    }
    process = nullptr;
}

void RunController::failedToStart(const QProcess* process) {
    const QString text = tr("%1 could not be started (%2): build it, or put it beside the ringside program.")
                             .arg(m_program, process->errorString());
    resetForRun(m_runDirectory);
    setState(State::Failed, text);
}

void RunController::handleLauncherExit(int exitCode, QProcess::ExitStatus status) {
    const QByteArray output = m_launcher->readAllStandardOutput();
    const QString problem = failureCause(m_launcher->readAllStandardError());
    m_launcher->deleteLater();
    m_launcher = nullptr;
    m_deadline.stop();
    const QString directory = directoryIn(output);
    if (status == QProcess::NormalExit && exitCode == 0 && !directory.isEmpty()) {
        m_runDirectory = QFileInfo(directory).absoluteFilePath();
        return m_detachWanted ? detach() : followRun(m_runDirectory);
    }
    setState(
        State::Failed,
        problem.isEmpty()
            ? tr("ringsidectl ended with code %1 and gave no reason: run `%2 run` in a terminal to see its output.")
                  .arg(exitCode)
                  .arg(m_program)
            : problem);
}

void RunController::followRun(const QString& runDirectory) {
    m_runDirectory = runDirectory;
    m_model.setDirectory(runDirectory);
    m_model.reset();
    m_viewer = newProcess();
    connect(m_viewer, &QProcess::readyReadStandardOutput, this,
            [this] { m_model.feed(m_viewer->readAllStandardOutput()); });
    connect(m_viewer, &QProcess::finished, this, &RunController::viewerFinished);
    connect(m_viewer, &QProcess::started, this, [this] {
        if (m_stopWanted) sendStop();
    });
    m_viewer->start(m_program,
                    {QStringLiteral("attach"), runDirectory, QStringLiteral("--lines"), QStringLiteral("--traces")});
    m_deadline.start(kLaunchDeadline);
}

void RunController::sendStop() {
    m_viewer->write(encodeControl({ControlKind::kStop}).c_str());
    m_deadline.start(kStopDeadline);
}

void RunController::readProgress() {
    if (!m_viewer) return;  // no run is followed yet: the model still contains the previous run
    if (m_state == State::Starting && m_model.data().started()) {
        m_deadline.stop();
        setState(m_stopWanted ? State::Stopping : State::Running);
    }
    if (isLive() && m_model.data().ended()) conclude();
}

void RunController::viewerFinished(int exitCode, QProcess::ExitStatus) {
    m_viewerExit = exitCode;
    m_viewerGone = true;
    m_viewerProblem = failureCause(m_viewer->readAllStandardError());
    m_model.feed(m_viewer->readAllStandardOutput());  // when the model has decoded all lines, it calls concludeViewer()
}

void RunController::concludeViewer() {
    m_viewerGone = false;
    m_deadline.stop();
    if (!isLive()) return;
    if (m_model.data().ended()) return conclude();
    const QString text =
        m_viewerProblem.isEmpty()
            ? tr("The connection to the run was lost (code %1): attach to it again from the File menu.")
                  .arg(m_viewerExit)
            : m_viewerProblem;
    setState(State::Failed, text);
}

void RunController::conclude() {
    m_deadline.stop();
    const RunEnded& end = *m_model.data().ended();
    const QString verdict = inFormWords(QString::fromStdString(end.verdict));
    if (end.state == RunOutcome::kFinished) return setState(State::Finished, verdict);
    setState(end.state == RunOutcome::kStopped ? State::Stopped : State::Failed, verdict);
    if (m_state == State::Failed) startRestartChecks();
}

// Checks every 2 s, at most 15 times, whether the failed run restarts. If parallel.min_ranks is set, the program that
// started the ranks may continue the run in the same directory with the remaining ranks.
void RunController::startRestartChecks() {
    constexpr auto kBetweenChecks = std::chrono::seconds(2);
    const auto& started = m_model.data().started();
    if (!started) return;
    Problems problems;
    const Result<RunConfig> config = RunConfig::parse(started->config, "run", &problems);
    if (!config || config.value().parallel.minRanks <= 0) return;
    m_restartChecks = 0;
    m_restartTimer.start(kBetweenChecks);
    Q_EMIT mayStartAgainChanged(mayStartAgain());
}

void RunController::stopRestartChecks() {
    if (!m_restartTimer.isActive()) return;
    m_restartTimer.stop();
    Q_EMIT mayStartAgainChanged(false);
}

void RunController::checkForRestart() {
    constexpr int kMaxChecks = 15;
    if (m_state != State::Failed || ++m_restartChecks > kMaxChecks) return stopRestartChecks();
    if (!isRunAlive(m_runDirectory.toStdString())) return;
    attach(m_runDirectory);
}

void RunController::deadlinePassed() {
    if (m_state == State::Stopping && !m_model.isDrained()) {
        // Waits again, because the telemetry that is not decoded yet may contain the end of the run.
        m_deadline.start(kStopDeadline);
        return;
    }
    if (m_state == State::Stopping) {
        setState(State::Running,
                 tr("The run has not stopped within %1 s: click Stop again, or end its processes in a terminal.")
                     .arg(kStopDeadline.count()));
        m_stopWanted = false;
        return;
    }
    resetForRun(m_runDirectory);
    setState(State::Failed, tr("The run could not be shown, because ringsidectl sent nothing for %1 s: check whether "
                               "the computer is overloaded, then click Run again.")
                                .arg(kLaunchDeadline.count()));
}

void RunController::setState(State state, const QString& message) {
    if (state == m_state && message == m_message) return;
    m_state = state;
    m_message = message;
    if (!isLive()) m_model.clearExpectedRun();
    Q_EMIT stateChanged(state);
}

}  // namespace ringside
