// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include "models/watch_request.h"

namespace ringside {

// Starts `ringsidectl watch` with a new run directory, and emits began() when the command has recorded the start of the
// run, or ended() when the command ends earlier. The command is detached: it continues if this object is destroyed or
// the window ends. The output of the command goes to output.txt in the run directory.
class WatchProcess final : public QObject {
    Q_OBJECT
  public:
    explicit WatchProcess(const QString& controlProgram, QObject* parent = nullptr);

    void start(const WatchRequest& request);
    void stop();  // sends SIGTERM to the command, which ends the watched PyTorch script
    bool isStopped() const { return m_isStopped; }

    static constexpr const char* kOutputFile = "output.txt";

  Q_SIGNALS:
    void began(const QString& runDirectory);  // emitted when the recorded run can be read from `runDirectory`
    void ended(const QString& why);  // emitted when the process has ended and recorded nothing; `why` is one sentence
                                     // with the reason

  private:
    bool makeDirectory();
    void checkRecord();
    void finish(const QString& why);
    QString outputPath() const { return m_directory + QStringLiteral(".output.txt"); }
    QByteArray lastOutput() const;
    void keepOutput() const;

    QString m_program;
    WatchRequest m_request;
    QString m_directory;
    QString m_problem;  // reason why the run directory could not be created; empty if it was created
    qint64 m_pid = 0;
    bool m_isStopped = false;
    QTimer m_checkTimer;
};

// Returns the last line of the output that reports a Python exception or a script that cannot be opened; empty if there
// is no such line.
QString lastPythonError(const QByteArray& output);

// Returns one sentence with the reason why a watched command has ended before its first training step. `output` is the
// last part of the command's output.
QString whyNothingTrained(const WatchRequest& request, const QByteArray& output);

}  // namespace ringside
