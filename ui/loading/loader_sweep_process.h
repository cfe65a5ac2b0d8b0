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

// Runs `ringsidectl sweep --json` as a child process, so that the window itself loads no data. The process is killed
// when this object is destroyed.
class LoaderSweepProcess final : public QObject {
    Q_OBJECT
  public:
    explicit LoaderSweepProcess(const QString& controlProgram, QObject* parent = nullptr);
    ~LoaderSweepProcess() override;

    void start(const RunConfig& config);  // starts the sweep; paths in `config` must be absolute; call once

  Q_SIGNALS:
    void sweepStarted(const QString& data, int cpus);
    void measured(const ringside::LoaderRate& rate);
    void advised(const ringside::LoaderAdvice& advice);  // last signal of a successful sweep
    void failed(const QString& reason);                  // last signal of a failed sweep

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
