// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

#include "config/run_config.h"
#include "data/loading/loader_sweep.h"

namespace ringside {

// Measures data loading with the child process `ringsidectl sweep --json`, because the window's process should load no
// data. The child process is killed when this object is destroyed.
class LoaderSweepProcess final : public QObject {
    Q_OBJECT
  public:
    explicit LoaderSweepProcess(const QString& controlProgram, QObject* parent = nullptr);
    ~LoaderSweepProcess() override;

    void start(const RunConfig& config);  // starts the measurement; paths in `config` must be absolute; call only once

  Q_SIGNALS:
    void sweepStarted(const QString& data, int cpus);
    void measured(const ringside::LoaderRate& rate);
    void advised(const ringside::LoaderAdvice& advice);  // last signal of a successful measurement
    void failed(const QString& reason);                  // last signal of a failed measurement

  private:
    void readLines();
    void parseLine(const QByteArray& line);
    void finished();
    void fail(const QString& reason);

    QString m_program;
    QProcess* m_process;
    QTimer m_deadline;  // timer that expires if the process prints nothing
    QByteArray m_pending;
    bool m_over = false;
};

}  // namespace ringside
