// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QTimer>
#include <atomic>
#include <memory>

#include "config/run_config.h"
#include "controls/latest_work.h"
#include "watch/pytorch_outcome.h"

namespace ringside {

// Compares an experiment with PyTorch in the background. Trains the experiment with Ringside, unless a finished run is
// given; exports the experiment as a PyTorch script; runs the script with `ringsidectl watch`; and compares both runs.
class PytorchComparison final : public QObject {
    Q_OBJECT
  public:
    struct Request {
        RunConfig config;
        QString ownRun;       // directory of a finished run of the experiment; empty: Ringside trains it first
        QString interpreter;  // path of a Python interpreter that can import PyTorch
    };
    enum class Stage { kInterpreter, kRingside, kExport, kPytorch, kCompare };

    // `controlProgram` is the path of ringsidectl.
    explicit PytorchComparison(const QString& controlProgram, QObject* parent = nullptr);
    ~PytorchComparison() override;  // calls cancel()

    bool isRunning() const { return m_process != nullptr || m_work.isBusy(); }
    void start(const Request& request);
    void cancel();  // ends all processes of the comparison and removes their files; no signal is emitted afterwards
    // Returns the file with the output of the script.
    QString outputFile() const { return path("output.txt"); }

  Q_SIGNALS:
    // Emitted when the stage `stage` of the comparison has completed `step` of `steps` training steps; `steps` is 0 if
    // unknown.
    void progressed(ringside::PytorchComparison::Stage stage, qint64 step, qint64 steps);
    void failed(const QString& sentence);
    void finished(const ringside::PytorchOutcome& outcome);

  private:
    // Folder with the exported script and the run directories of the comparison. After a cancelled comparison, the
    // folder is removed when no process and no worker thread uses it.
    struct Folder {
        QString path;
        std::atomic<bool> isDiscarded = false;
        ~Folder();
    };
    void checkInterpreter();
    void makeFolder();
    void trainWithRingside();
    void exportScript();
    void trainWithPytorch();
    void compare();
    void run(const QString& program, const QStringList& arguments, const QByteArray& input,
             void (PytorchComparison::*next)());
    void stageEnded(int exitCode, QProcess::ExitStatus status, void (PytorchComparison::*next)());
    QString whyStageFailed(int exitCode, const QByteArray& output) const;
    void readProgress();
    void enter(Stage stage);
    void fail(const QString& sentence);
    QString folder() const { return m_folder == nullptr ? QString() : m_folder->path; }
    QString scriptPath() const { return path("train.py"); }
    QString path(const char* name) const { return folder() + QLatin1Char('/') + QLatin1String(name); }

    QString m_program;
    Request m_request;
    std::shared_ptr<Folder> m_folder;  // folder of the comparison; shared with the worker thread and the processes that
                                       // use it; null: not created yet
    Stage m_stage = Stage::kInterpreter;
    QProcess* m_process = nullptr;
    LatestWork m_work;
    QTimer m_progressTimer;
};

// Returns the number of the last training step in the file metrics.jsonl of a run directory; 0 if there is none. Reads
// only the end of the file.
qint64 lastRecordedStep(const QString& runDirectory);

// Returns the total number of steps that the run in this directory will train; 0 if the run has not recorded it yet.
qint64 plannedSteps(const QString& runDirectory);

}  // namespace ringside
