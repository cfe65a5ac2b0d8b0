// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>
#include <functional>
#include <optional>

#include "export/job_script.h"

namespace ringside {

// Submits a job script to a queue, or starts it on this computer, and reports its state until the run begins. The job
// continues when this object is destroyed.
class JobFollower final : public QObject {
    Q_OBJECT
  public:
    explicit JobFollower(QObject* parent = nullptr);
    ~JobFollower() override;

    // Submits `script` to the queue of `launcher`. Each script needs a folder of its own, because the job's run
    // directory is recognised by its position: the subfolder "runs" of the script's folder.
    void submit(JobLauncher launcher, const QString& script);
    void start(const QString& script);
    bool isFollowing() const { return m_timer.isActive(); }

    static constexpr int kAskEveryMs = 2000;

  Q_SIGNALS:
    void stateChanged(const QString& state);
    void runBegan(const QString& directory);  // either runBegan() or failed() is the last signal
    void failed(const QString& why);

  private:
    void runCommand(const QStringList& command,
                    const std::function<void(int, const QByteArray&, const QByteArray&)>& done);
    void pollQueue();
    void applyState(const QByteArray& answer);
    QString runDirectory() const;
    QString lastOutput() const;
    void fail(const QString& why);

    std::optional<JobLauncher> m_launcher;
    QString m_folder;
    QString m_job;
    qint64 m_process = 0;  // id of the started process, if the launcher has no queue
    QProcess* m_asking = nullptr;
    QTimer m_timer;
    int m_unknown = 0;
};

}  // namespace ringside
