// SPDX-License-Identifier: GPL-3.0-or-later
#include "loading/loader_sweep_process.h"

#include <algorithm>
#include <chrono>

#include "base/json/json_members.h"
#include "words/failure_cause.h"

namespace ringside {
namespace {

// Maximum time in which the child process may print nothing; after it, the measurement fails. Each number of workers is
// measured for 2 s, but opening a large data set can take longer.
constexpr std::chrono::seconds kSilence{120};
constexpr qsizetype kMaxLine = 1 << 16;

}  // namespace

LoaderSweepProcess::LoaderSweepProcess(const QString& controlProgram, QObject* parent)
    : QObject(parent), m_program(controlProgram), m_process(new QProcess(this)) {
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        fail(tr("Loading made no progress for %1 s: check that the disk with the data set responds.")
                 .arg(kSilence.count()));
    });
    connect(m_process, &QProcess::readyReadStandardOutput, this, &LoaderSweepProcess::readLines);
    connect(m_process, &QProcess::finished, this, &LoaderSweepProcess::finished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(tr("%1 cannot be started: build or install Ringside again.").arg(m_program));
    });
}

LoaderSweepProcess::~LoaderSweepProcess() {
    m_over = true;
    m_process->disconnect(this);
    m_process->setParent(nullptr);  // deleting a running QProcess would block until it ends
    if (m_process->state() == QProcess::NotRunning) {
        m_process->deleteLater();
        return;
    }
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
    m_process->kill();
}

void LoaderSweepProcess::start(const RunConfig& config) {
    connect(m_process, &QProcess::started, this, [this, json = QByteArray::fromStdString(config.toText())] {
        m_process->write(json);
        m_process->closeWriteChannel();
    });
    m_process->start(m_program, {QStringLiteral("sweep"), QStringLiteral("-"), QStringLiteral("--json")});
    m_deadline.start(kSilence);
}

void LoaderSweepProcess::readLines() {
    m_deadline.start(kSilence);
    m_pending += m_process->readAllStandardOutput();
    for (qsizetype end = m_pending.indexOf('\n'); end >= 0; end = m_pending.indexOf('\n')) {
        parseLine(m_pending.first(end));
        m_pending.remove(0, end + 1);
    }
    if (m_pending.size() > kMaxLine) fail(tr("ringsidectl printed a line that is not a measurement."));
}

void LoaderSweepProcess::parseLine(const QByteArray& line) {
    const Result<Json> parsed = parseJson(line.toStdString(), "an output line of ringsidectl sweep");
    if (m_over || !parsed || !parsed.value().is_object()) return;
    const Json& json = parsed.value();
    const std::string kind = stringIn(json, "kind");
    if (kind == "loader_sweep")
        Q_EMIT sweepStarted(QString::fromStdString(stringIn(json, "data")),
                            static_cast<int>(integerIn(json, "cpus").value_or(0)));
    if (kind == "loader_rate")
        Q_EMIT measured({.numWorkers = integerIn(json, "num_workers").value_or(0),
                         .ranks = std::max<std::int64_t>(1, integerIn(json, "ranks").value_or(0)),
                         .samples = integerIn(json, "samples").value_or(0),
                         .batches = integerIn(json, "batches").value_or(0),
                         .seconds = realIn(json, "seconds").value_or(0)});
    if (kind != "loader_advice") return;
    m_over = true;
    m_deadline.stop();
    Q_EMIT advised({integerIn(json, "num_workers").value_or(0), stringIn(json, "text")});
}

void LoaderSweepProcess::finished() {
    readLines();
    const QString complaint = failureCause(m_process->readAllStandardError());
    fail(complaint.isEmpty()
             ? tr("ringsidectl ended without a result: run `ringsidectl sweep` in a terminal to see why.")
             : complaint);
}

void LoaderSweepProcess::fail(const QString& reason) {
    if (m_over) return;
    m_over = true;
    m_deadline.stop();
    m_process->kill();
    Q_EMIT failed(reason);
}

}  // namespace ringside
