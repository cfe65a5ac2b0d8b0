// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/scene/strategy_process.h"

#include "base/json/json.h"
#include "words/failure_cause.h"

namespace ringside {
namespace {

constexpr qsizetype kMaxLine = 1 << 20;

std::optional<double> numberIn(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

QString textIn(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

StrategyProof proofOf(const Json& json) {
    StrategyProof proof{.equal = {}, .reference = textIn(json, "reference"), .text = textIn(json, "problem")};
    const auto equal = json.find("equal");
    if (equal != json.end() && equal->is_boolean()) proof.equal = equal->get<bool>();
    const auto first = json.find("first");
    if (first != json.end() && first->is_object())
        proof.text = StrategyProcess::tr("after step %1 in tensor %2: %3")
                         .arg(numberIn(*first, "step").value_or(0))
                         .arg(textIn(*first, "tensor"), textIn(*first, "why"));
    return proof;
}

}  // namespace

StrategyProcess::StrategyProcess(const QString& controlProgram, QObject* parent)
    : QObject(parent), m_program(controlProgram) {}

StrategyProcess::~StrategyProcess() {
    dropProcess();
}

// Sends SIGTERM to the child process, which then stops its ranks. Deletes the QProcess only after the end of the child
// process, because deleting a running QProcess would block.
void StrategyProcess::dropProcess() {
    if (m_process == nullptr) return;
    QProcess* process = std::exchange(m_process, nullptr);
    process->disconnect(this);
    process->setParent(nullptr);
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
        return;
    }
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->terminate();
}

void StrategyProcess::measure(const RunConfig& config) {
    m_proving = false;
    start(config,
          {QStringLiteral("strategies"), QStringLiteral("-"), QStringLiteral("--json"), QStringLiteral("--measure")});
}

void StrategyProcess::prove(const RunConfig& config, const QStringList& strategies, int steps) {
    m_proving = true;
    start(config, {QStringLiteral("prove"), QStringLiteral("-"), QStringLiteral("--json"), QStringLiteral("--steps"),
                   QString::number(steps), QStringLiteral("--strategies"), strategies.join(QLatin1Char(','))});
}

void StrategyProcess::start(const RunConfig& config, const QStringList& arguments) {
    dropProcess();
    m_pending.clear();
    m_process = new QProcess(this);
    connect(m_process, &QProcess::readyReadStandardOutput, this, &StrategyProcess::readLines);
    connect(m_process, &QProcess::finished, this, &StrategyProcess::finished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        dropProcess();
        Q_EMIT failed(tr("%1 cannot be started: build or install Ringside again.").arg(m_program));
        Q_EMIT over();
    });
    connect(m_process, &QProcess::started, m_process,
            [process = m_process, json = QByteArray::fromStdString(config.toText())] {
                process->write(json);
                process->closeWriteChannel();
            });
    m_process->start(m_program, arguments);
}

void StrategyProcess::stop() {
    dropProcess();
    Q_EMIT over();
}

void StrategyProcess::readLines() {
    m_pending += m_process->readAllStandardOutput();
    for (qsizetype end = m_pending.indexOf('\n'); end >= 0; end = m_pending.indexOf('\n')) {
        parseLine(m_pending.first(end));
        m_pending.remove(0, end + 1);
    }
    if (m_pending.size() > kMaxLine) m_pending.clear();
}

void StrategyProcess::parseLine(const QByteArray& line) {
    const Result<Json> parsed = parseJson(line.toStdString(), "an output line of ringsidectl");
    if (!parsed || !parsed.value().is_object()) return;
    const Json& json = parsed.value();
    const QString name = textIn(json, "strategy");
    if (m_proving) {
        Q_EMIT proved(name, proofOf(json));
        return;
    }
    Q_EMIT measured(name, {.expectedMs = numberIn(json, "expected_step_ms"),
                           .expectedSamplesPerSecond = numberIn(json, "expected_samples_per_second"),
                           .measuredMs = numberIn(json, "measured_step_ms"),
                           .measuredSamplesPerSecond = numberIn(json, "measured_samples_per_second"),
                           .measuredIdleShare = numberIn(json, "measured_idle_share"),
                           .limitedBy = textIn(json, "limited_by"),
                           .note = textIn(json, "note"),
                           .problem = textIn(json, "problem")});
}

// Reads the remaining output and emits over(). Emits failed() before it if the process crashed or its exit code is
// neither 0 nor 1. Exit code 1 is not a failure: `ringsidectl prove` has found a strategy with different weights and
// has reported it in its output.
void StrategyProcess::finished(int exitCode, QProcess::ExitStatus status) {
    readLines();
    const QString complaint = failureCause(m_process->readAllStandardError());
    const bool failedToTry = status != QProcess::NormalExit || (exitCode != 0 && exitCode != 1);
    dropProcess();
    if (failedToTry) Q_EMIT failed(complaint.isEmpty() ? tr("ringsidectl ended without a result.") : complaint);
    Q_EMIT over();
}

}  // namespace ringside
