// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/pytorch_comparison.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/errors/errors.h"
#include "base/json/json.h"
#include "export/pytorch/pytorch_script.h"
#include "models/watch_process.h"
#include "run/read/default_run_directory.h"
#include "run/read/run_directory.h"
#include "telemetry/events/codec.h"
#include "words/failure_cause.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks{300};
constexpr qint64 kMaxRead = 16 * 1024;
constexpr const char* kOwn = "ringside";
constexpr const char* kWatched = "pytorch";
constexpr const char* kWritten = "script";

QByteArray endOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    file.seek(std::max<qint64>(0, file.size() - kMaxRead));
    return file.readAll();
}

QString refusal(const Problem& problem) {
    return PytorchComparison::tr("This experiment cannot be compared with PyTorch: %1")
        .arg(inFormWords(QString::fromStdString(problem.text())));
}

// Reads the data set and writes the experiment as a PyTorch script. Returns the reason of a failure as a sentence;
// empty on success.
QString writeScript(const RunConfig& config, const std::string& path) {
    const auto target = std::filesystem::path(path);
    const Result<PytorchScript> script = exportPytorch(config, {}, target.filename().string());
    if (!script) return refusal(script.problem());
    try {
        writePytorch(script.value(), target);
    } catch (const IoError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

}  // namespace

qint64 lastRecordedStep(const QString& runDirectory) {
    const QByteArray text = endOf(QString::fromStdString(RunPaths(runDirectory.toStdString()).metrics().string()));
    const qsizetype at = text.lastIndexOf("\"step\":", text.lastIndexOf('\n'));
    if (at < 0) return 0;
    qsizetype from = at + 7, to = from;
    while (to < text.size() && (text[to] == ' ' || (text[to] >= '0' && text[to] <= '9'))) ++to;
    return text.mid(from, to - from).trimmed().toLongLong();
}

qint64 plannedSteps(const QString& runDirectory) {
    QFile file(QString::fromStdString(RunPaths(runDirectory.toStdString()).telemetry().string()));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const Result<Event> event = decodeLine(file.readLine().trimmed().toStdString());
    const auto* started = event ? std::get_if<RunStarted>(&event.value()) : nullptr;
    return started == nullptr ? 0 : std::max<std::int64_t>(0, started->stepsPerEpoch) * started->epochs;
}

PytorchComparison::PytorchComparison(const QString& controlProgram, QObject* parent)
    : QObject(parent), m_program(controlProgram) {
    m_progressTimer.setInterval(kBetweenChecks);
    connect(&m_progressTimer, &QTimer::timeout, this, &PytorchComparison::readProgress);
}

PytorchComparison::~PytorchComparison() {
    cancel();
}

void PytorchComparison::start(const Request& request) {
    if (isRunning()) return;
    m_request = request;
    m_folder.reset();
    if (const Problems problems = exportProblems(request.config); !problems.empty())
        return fail(refusal(problems.front()));
    checkInterpreter();
}

void PytorchComparison::checkInterpreter() {
    enter(Stage::kInterpreter);
    run(m_request.interpreter, {QStringLiteral("-c"), QStringLiteral("import torch, torch.distributed")}, {},
        &PytorchComparison::makeFolder);
}

void PytorchComparison::makeFolder() {
    const Result<std::filesystem::path> made = makeDefaultRunDirectory(m_request.config.name + "-and-pytorch");
    if (!made) return fail(QString::fromStdString(made.problem().text()));
    m_folder = std::make_shared<Folder>();
    m_folder->path = QFileInfo(QString::fromStdString(made.value().string())).absoluteFilePath();
    m_request.ownRun.isEmpty() ? trainWithRingside() : exportScript();
}

void PytorchComparison::trainWithRingside() {
    enter(Stage::kRingside);
    m_request.ownRun = path(kOwn);
    run(m_program,
        {QStringLiteral("run"), QStringLiteral("-"), QStringLiteral("--quiet"), QStringLiteral("--out"),
         m_request.ownRun},
        QByteArray::fromStdString(m_request.config.toText()), &PytorchComparison::exportScript);
}

void PytorchComparison::exportScript() {
    enter(Stage::kExport);
    m_work.requestLatest(
        this,
        [config = m_request.config, folder = m_folder, path = scriptPath().toStdString()](const LatestWork::Stop&) {
            return writeScript(config, path);
        },
        [this](const QString& problem) { problem.isEmpty() ? trainWithPytorch() : fail(problem); });
}

void PytorchComparison::trainWithPytorch() {
    enter(Stage::kPytorch);
    run(m_program,
        {QStringLiteral("watch"), QStringLiteral("--out"), path(kWatched), QStringLiteral("--"), m_request.interpreter,
         scriptPath(), QStringLiteral("--out"), path(kWritten)},
        {}, &PytorchComparison::compare);
}

void PytorchComparison::compare() {
    enter(Stage::kCompare);
    const auto inFolder = [this](const char* name) { return std::filesystem::path(path(name).toStdString()); };
    const ComparedRuns runs{m_request.ownRun.toStdString(), inFolder(kWatched), inFolder(kWritten)};
    m_work.requestLatest(
        this, [runs, folder = m_folder](const LatestWork::Stop&) { return comparePytorchRuns(runs); },
        [this](const PytorchOutcome& outcome) {
            m_progressTimer.stop();
            Q_EMIT finished(outcome);
        });
}

// Starts a program. Calls `next` when the program has ended with exit code 0; if not, ends the comparison as failed.
void PytorchComparison::run(const QString& program, const QStringList& arguments, const QByteArray& input,
                            void (PytorchComparison::*next)()) {
    m_process = new QProcess(this);
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    if (m_stage == Stage::kPytorch) m_process->setStandardOutputFile(outputFile());
    connect(m_process, &QProcess::errorOccurred, this, [this, program](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        fail(m_stage == Stage::kInterpreter
                 ? tr("%1 could not be started: choose a Python interpreter with PyTorch.").arg(program)
                 : tr("%1 could not be started: build it, or put it beside the ringside program.").arg(program));
    });
    connect(m_process, &QProcess::finished, this,
            [this, next](int code, QProcess::ExitStatus status) { stageEnded(code, status, next); });
    connect(m_process, &QProcess::started, this, [this, input] {
        m_process->write(input);
        m_process->closeWriteChannel();
    });
    m_process->start(program, arguments);
}

void PytorchComparison::stageEnded(int exitCode, QProcess::ExitStatus status, void (PytorchComparison::*next)()) {
    const QByteArray output = m_stage == Stage::kPytorch ? endOf(outputFile()) : m_process->readAll();
    std::exchange(m_process, nullptr)->deleteLater();
    if (status == QProcess::NormalExit && exitCode == 0) return (this->*next)();
    fail(whyStageFailed(exitCode, output));
}

QString PytorchComparison::whyStageFailed(int exitCode, const QByteArray& output) const {
    if (m_stage == Stage::kInterpreter) {
        const bool isMissing = output.contains("No module named 'torch'");
        const QString last = QString::fromUtf8(output.trimmed().split('\n').last()).trimmed();
        return isMissing ? tr("%1 has no PyTorch: choose another interpreter, or install PyTorch into this one.")
                               .arg(m_request.interpreter)
                         : tr("%1 cannot import PyTorch (%2): choose another interpreter.")
                               .arg(m_request.interpreter, last.isEmpty() ? tr("exit code %1").arg(exitCode) : last);
    }
    if (m_stage == Stage::kPytorch) {
        const QString error = lastPythonError(output);
        return tr("The exported PyTorch script failed (%1): read its output in %2.")
            .arg(error.isEmpty() ? tr("exit code %1").arg(exitCode) : error, outputFile());
    }
    const QString complaint = failureCause(output);
    return complaint.isEmpty() ? tr("Ringside's own run ended with code %1: see %2.").arg(exitCode).arg(folder())
                               : tr("Ringside's own run failed: %1").arg(complaint);
}

void PytorchComparison::readProgress() {
    if (m_stage == Stage::kRingside) {
        Q_EMIT progressed(m_stage, lastRecordedStep(path(kOwn)), plannedSteps(path(kOwn)));
    } else if (m_stage == Stage::kPytorch) {
        Q_EMIT progressed(m_stage, lastRecordedStep(path(kWritten)), lastRecordedStep(m_request.ownRun));
    }
}

void PytorchComparison::enter(Stage stage) {
    m_stage = stage;
    m_progressTimer.start();
    Q_EMIT progressed(stage, 0, 0);
}

void PytorchComparison::fail(const QString& sentence) {
    m_progressTimer.stop();
    if (m_process != nullptr) std::exchange(m_process, nullptr)->deleteLater();
    Q_EMIT failed(sentence);
}

// Sends SIGTERM to the running child process, which then ends Ringside's ranks or the watched PyTorch script. If the
// comparison is not finished, removes its folder as soon as the child process and the worker thread have ended.
void PytorchComparison::cancel() {
    m_progressTimer.stop();
    if (m_folder != nullptr && isRunning()) m_folder->isDiscarded = true;
    m_work.cancel();
    const std::shared_ptr<Folder> folder = std::exchange(m_folder, nullptr);
    if (m_process == nullptr) return;
    QProcess* process = std::exchange(m_process, nullptr);
    process->disconnect(this);
    process->setParent(nullptr);
    connect(process, &QProcess::finished, process, [process, folder] { process->deleteLater(); });
    process->terminate();
}

PytorchComparison::Folder::~Folder() {
    if (isDiscarded) QDir(path).removeRecursively();
}

}  // namespace ringside
