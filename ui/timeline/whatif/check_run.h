// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <optional>

#include "config/run_config.h"
#include "controls/latest_work.h"

namespace ringside {

// Result of a run that trains a changed experiment to check a predicted step time.
struct CheckRunResult {
    double ms = 0;  // measured milliseconds per step
    std::int64_t steps = 0;
    QString directory;
    QString problem;  // reason why there is no result; empty if there is one
};

// Trains an experiment in the background and measures the time of its steps. Other programs on this computer influence
// the result.
class CheckRun final : public QObject {
    Q_OBJECT
  public:
    explicit CheckRun(const QString& controlProgram, QObject* parent = nullptr);
    ~CheckRun() override;

    bool isRunning() const { return m_process != nullptr || m_reading.isBusy(); }
    // Starts the run in a new directory next to `beside`.
    void start(const RunConfig& config, const QString& beside);
    void stop();

  Q_SIGNALS:
    void finished(const ringside::CheckRunResult& result);

  private:
    void handleExit(int exitCode);
    void fail(const QString& problem);

    QString m_program;
    QString m_directory;
    QProcess* m_process = nullptr;
    LatestWork m_reading;
};

}  // namespace ringside
