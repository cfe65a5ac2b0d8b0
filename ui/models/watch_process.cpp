// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/watch_process.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <chrono>
#include <csignal>

#include "run/read/default_run_directory.h"
#include "run/read/run_directory.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks{200};
constexpr qint64 kMaxOutput = 64 * 1024;

// True if the process exists and has not ended. A zombie process has ended.
bool isRunning(qint64 pid) {
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!file.open(QIODevice::ReadOnly)) return false;
    const QByteArray stat = file.readAll();
    const QByteArray state = stat.mid(stat.lastIndexOf(')') + 2, 1);
    return state != "Z" && state != "X";
}

// Returns the last message in the output that comes from `ringsidectl watch` and not from the script.
QString lastMessage(const QByteArray& output) {
    QString last;
    for (const QByteArray& line : output.split('\n'))
        if (line.startsWith("ringsidectl")) last = QString::fromUtf8(line).section(QStringLiteral(": "), 1).trimmed();
    return last;
}

}  // namespace

QString lastPythonError(const QByteArray& output) {
    static const QRegularExpression exception(QStringLiteral(
        "^(?:\\[rank\\d+\\]: *)?([A-Za-z_.]*(?:Error|Exception|Exit|Interrupt): .*|.*: can't open file .*)$"));
    QString raised;
    for (const QByteArray& line : output.split('\n')) {
        if (line.startsWith("ringsidectl") || line.contains("ChildFailedError")) continue;
        const QRegularExpressionMatch match = exception.match(QString::fromUtf8(line).trimmed());
        if (match.hasMatch()) raised = match.captured(1);
    }
    return raised;
}

QString whyNothingTrained(const WatchRequest& request, const QByteArray& output) {
    const QString script = QFileInfo(request.script).fileName();
    if (output.contains("No module named 'torch'") || output.contains("No module named torch"))
        return WatchProcess::tr("%1 has no PyTorch: choose an interpreter with PyTorch in Run > Watch a script.")
            .arg(request.command.value(0));
    const QString error = lastPythonError(output);
    if (!error.isEmpty()) return WatchProcess::tr("%1 ended before its first training step: %2").arg(script, error);
    const QString message = lastMessage(output);
    if (!message.isEmpty()) return WatchProcess::tr("%1 was not watched: %2").arg(script, message);
    return WatchProcess::tr(
               "%1 ended before its first training step and printed nothing: start it in a terminal to "
               "find the reason.")
        .arg(script);
}

WatchProcess::WatchProcess(const QString& controlProgram, QObject* parent)
    : QObject(parent), m_program(controlProgram) {
    m_checkTimer.setInterval(kBetweenChecks);
    connect(&m_checkTimer, &QTimer::timeout, this, &WatchProcess::checkRecord);
}

bool WatchProcess::makeDirectory() {
    const std::string name = QFileInfo(m_request.script).completeBaseName().toStdString();
    const Result<std::filesystem::path> made = makeDefaultRunDirectory(name.empty() ? "watched" : name);
    if (!made) {
        m_problem = QString::fromStdString(made.problem().text());
        return false;
    }
    m_directory = QFileInfo(QString::fromStdString(made.value().string())).absoluteFilePath();
    return true;
}

void WatchProcess::start(const WatchRequest& request) {
    m_request = request;
    if (!makeDirectory()) return finish(m_problem);
    QStringList arguments{QStringLiteral("watch"), QStringLiteral("--out"), m_directory};
    if (request.isCheck) arguments << QStringLiteral("--check");
    QProcess process;
    process.setProgram(m_program);
    process.setArguments(arguments + QStringList{QStringLiteral("--")} + request.command);
    process.setWorkingDirectory(request.folder);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(outputPath());
    process.setProcessChannelMode(QProcess::MergedChannels);
    if (!process.startDetached(&m_pid)) {
        return finish(tr("%1 could not be started (%2): build it, or put it beside the ringside program.")
                          .arg(m_program, process.errorString()));
    }
    m_checkTimer.start();
}

void WatchProcess::stop() {
    m_isStopped = true;
    if (m_pid > 0 && isRunning(m_pid)) ::kill(static_cast<pid_t>(m_pid), SIGTERM);
}

void WatchProcess::checkRecord() {
    // The process is checked before its files are read: if it has ended, the files are complete.
    const bool isOver = !isRunning(m_pid);
    const RunPaths paths(m_directory.toStdString());
    const bool hasRecord = QFileInfo(QString::fromStdString(paths.telemetry().string())).size() > 0 &&
                           QFileInfo::exists(QString::fromStdString(paths.config().string()));
    if (hasRecord) {
        m_checkTimer.stop();
        keepOutput();
        Q_EMIT began(m_directory);
    } else if (isOver) {
        finish(whyNothingTrained(m_request, lastOutput()));
    }
}

void WatchProcess::finish(const QString& why) {
    m_checkTimer.stop();
    if (!m_directory.isEmpty()) {
        QFile::remove(outputPath());
        QDir().rmdir(m_directory);  // removes the directory only if it is empty
    }
    Q_EMIT ended(why);
}

QByteArray WatchProcess::lastOutput() const {
    QFile file(outputPath());
    if (!file.open(QIODevice::ReadOnly)) return {};
    file.seek(std::max<qint64>(0, file.size() - kMaxOutput));
    return file.readAll();
}

// Moves the output into the run directory. The command continues to write to the moved file.
void WatchProcess::keepOutput() const {
    QFile::rename(outputPath(), m_directory + QLatin1Char('/') + QLatin1String(kOutputFile));
}

}  // namespace ringside
