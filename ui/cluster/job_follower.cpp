// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job_follower.h"

#include <QDir>
#include <QFileInfo>
#include <csignal>
#include <functional>

#include "cluster/job_queue_text.h"

namespace ringside {
namespace {

// If this number of successive queries does not report the state of a job, the job counts as ended.
constexpr int kUnknownMost = 3;
constexpr const char* kOutput = "output.txt";

}  // namespace

JobFollower::JobFollower(QObject* parent) : QObject(parent) {
    m_timer.setInterval(kAskEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &JobFollower::pollQueue);
}

JobFollower::~JobFollower() {
    if (!m_asking) return;
    m_asking->disconnect(this);
    m_asking->setParent(nullptr);
    connect(m_asking, &QProcess::finished, m_asking, &QObject::deleteLater);
    m_asking->kill();
}

void JobFollower::runCommand(const QStringList& command,
                             const std::function<void(int, const QByteArray&, const QByteArray&)>& done) {
    if (m_asking) return;
    m_asking = new QProcess(this);
    m_asking->setWorkingDirectory(m_folder);
    const auto end = [this, done](int code) {
        QProcess* process = std::exchange(m_asking, nullptr);
        if (!process) return;
        process->deleteLater();
        done(code, process->readAllStandardOutput(), process->readAllStandardError().trimmed());
    };
    connect(m_asking, &QProcess::finished, this, end);
    connect(m_asking, &QProcess::errorOccurred, this, [end](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(-1);
    });
    m_asking->start(command.first(), command.mid(1));
}

void JobFollower::submit(JobLauncher launcher, const QString& script) {
    m_launcher = launcher;
    m_folder = QFileInfo(script).absolutePath();
    runCommand(submitCommand(launcher, script), [this](int code, const QByteArray& out, const QByteArray& problem) {
        m_job = code == 0 ? jobIdIn(*m_launcher, out) : QString();
        if (m_job.isEmpty())
            return fail(tr("Not submitted: %1")
                            .arg(problem.isEmpty() ? tr("the queue does not respond") : QString::fromUtf8(problem)));
        Q_EMIT stateChanged(tr("Submitted as job %1").arg(m_job));
        m_timer.start();
        pollQueue();
    });
}

void JobFollower::start(const QString& script) {
    m_launcher.reset();
    m_folder = QFileInfo(script).absolutePath();
    QProcess process;
    process.setProgram(QStringLiteral("bash"));
    process.setArguments({script});
    process.setWorkingDirectory(m_folder);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(m_folder + QLatin1Char('/') + QLatin1String(kOutput));
    process.setStandardErrorFile(m_folder + QLatin1Char('/') + QLatin1String(kOutput), QIODevice::Append);
    if (!process.startDetached(&m_process)) return fail(tr("bash cannot be started."));
    Q_EMIT stateChanged(tr("Started as process %1").arg(m_process));
    m_timer.start();
}

void JobFollower::pollQueue() {
    const QString directory = runDirectory();
    if (!directory.isEmpty()) {
        m_timer.stop();
        Q_EMIT runBegan(directory);
        return;
    }
    if (!m_launcher) {
        if (::kill(static_cast<pid_t>(m_process), 0) != 0)
            fail(tr("The job ended before a run started: %1").arg(lastOutput()));
        return;
    }
    runCommand(queryCommand(*m_launcher, m_job), [this](int code, const QByteArray& out, const QByteArray&) {
        applyState(code == 0 ? out : QByteArray());
    });
}

void JobFollower::applyState(const QByteArray& answer) {
    if (!m_timer.isActive()) return;
    const JobState state = jobStateIn(*m_launcher, answer);
    m_unknown = state.known ? 0 : m_unknown + 1;
    if (m_unknown >= kUnknownMost)
        return fail(tr("Job %1 is no longer in the queue, and no run started: %2").arg(m_job, lastOutput()));
    if (state.known) Q_EMIT stateChanged(tr("Job %1 is %2").arg(m_job, state.text));
}

// Returns the newest run directory of the job that contains telemetry; empty if there is none yet. Telemetry exists
// after the ranks have connected to each other.
QString JobFollower::runDirectory() const {
    const QDir runs(m_folder + QStringLiteral("/runs"));
    for (const QFileInfo& run : runs.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time)) {
        if (QFileInfo::exists(run.absoluteFilePath() + QStringLiteral("/telemetry.jsonl")))
            return run.absoluteFilePath();
    }
    return {};
}

// Returns the last line of the newest output file in the folder of the job.
QString JobFollower::lastOutput() const {
    const QDir folder(m_folder);
    const QFileInfoList files = folder.entryInfoList(
        {QLatin1String(kOutput), QStringLiteral("*.out"), QStringLiteral("*.o*")}, QDir::Files, QDir::Time);
    if (files.isEmpty()) return tr("the job has written no output");
    QFile file(files.first().absoluteFilePath());
    if (!file.open(QIODevice::ReadOnly)) return tr("read the output of the job in %1").arg(file.fileName());
    constexpr qint64 kEnd = 4096;
    file.seek(std::max<qint64>(0, file.size() - kEnd));
    const QString last = QString::fromUtf8(file.readAll()).trimmed().section(QLatin1Char('\n'), -1);
    return last.isEmpty() ? tr("the job has written no output") : last;
}

void JobFollower::fail(const QString& why) {
    m_timer.stop();
    Q_EMIT failed(why);
}

}  // namespace ringside
