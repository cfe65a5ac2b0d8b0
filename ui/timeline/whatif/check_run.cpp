// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/whatif/check_run.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

#include "run/read/read_traces.h"
#include "whatif/step_replay.h"
#include "words/failure_cause.h"

namespace ringside {
namespace {

// Returns the name of a run directory that does not exist yet: "digits-what-if-1" beside "digits".
QString freeDirectory(const QString& beside) {
    const QString base = QFileInfo(beside).absoluteFilePath() + QStringLiteral("-what-if-");
    for (int number = 1;; ++number)
        if (const QString path = base + QString::number(number); !QFileInfo::exists(path)) return path;
}

CheckRunResult measured(const QString& directory) {
    CheckRunResult result;
    result.directory = directory;
    const Result<RecordedTraces> traces = readTraces(RunPaths(directory.toStdString()));
    if (!traces) {
        result.problem = QString::fromStdString(traces.problem().text());
        return result;
    }
    const ReplayResult replay = replaySteps(traces.value().data, {});
    result.ms = replay.measured;
    result.steps = replay.steps;
    if (replay.steps == 0) result.problem = QObject::tr("The run ended before all ranks had traced a step.");
    return result;
}

}  // namespace

CheckRun::CheckRun(const QString& controlProgram, QObject* parent) : QObject(parent), m_program(controlProgram) {}

CheckRun::~CheckRun() {
    stop();
}

void CheckRun::start(const RunConfig& config, const QString& beside) {
    if (isRunning()) return;
    m_directory = freeDirectory(beside);
    m_process = new QProcess(this);
    m_process->setStandardOutputFile(QProcess::nullDevice());
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(tr("%1 could not be started: build it, or put it beside the ringside program.").arg(m_program));
    });
    connect(m_process, &QProcess::finished, this, &CheckRun::handleExit);
    connect(m_process, &QProcess::started, this, [this, text = QByteArray::fromStdString(config.toText())] {
        m_process->write(text);
        m_process->closeWriteChannel();
    });
    m_process->start(m_program, {QStringLiteral("run"), QStringLiteral("-"), QStringLiteral("--quiet"),
                                 QStringLiteral("--out"), m_directory});
}

// Stops the run and its ranks. No result is reported.
void CheckRun::stop() {
    m_reading.cancel();
    if (m_process == nullptr) return;
    QProcess* process = std::exchange(m_process, nullptr);
    process->disconnect(this);
    process->setParent(nullptr);
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->terminate();
}

void CheckRun::fail(const QString& problem) {
    if (m_process != nullptr) std::exchange(m_process, nullptr)->deleteLater();
    CheckRunResult result;
    result.problem = problem;
    Q_EMIT finished(result);
}

void CheckRun::handleExit(int exitCode) {
    const QString complaint = failureCause(m_process->readAllStandardError());
    if (exitCode != 0)
        return fail(complaint.isEmpty()
                        ? tr("The run that checks the prediction ended with exit code %1: see the run directory %2.")
                              .arg(exitCode)
                              .arg(m_directory)
                        : complaint);
    std::exchange(m_process, nullptr)->deleteLater();
    m_reading.requestLatest(
        this, [directory = m_directory](const LatestWork::Stop&) { return measured(directory); },
        [this](const CheckRunResult& result) { Q_EMIT finished(result); });
}

}  // namespace ringside
