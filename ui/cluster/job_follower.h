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

// Submits a job script to the queue of a cluster, or starts the script on this computer, and reports the state of the
// job until its training run begins. The job continues when this object is destroyed.
class JobFollower final : public QObject {
    Q_OBJECT
  public:
    explicit JobFollower(QObject* parent = nullptr);
    ~JobFollower() override;

    // Submits `script` to the queue of `launcher`. Each script must be in a folder of its own, because the job's run
    // directory is searched in the subfolder "runs" of this folder.
    void submit(JobLauncher launcher, const QString& script);
    void start(const QString& script);
    bool isFollowing() const { return m_timer.isActive(); }

    static constexpr int kAskEveryMs = 2000;

  Q_SIGNALS:
    void stateChanged(const QString& state);
    // runBegan() or failed() is the last signal of a job; directory: run directory
    void runBegan(const QString& directory);
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
    qint64 m_process = 0;  // id of the process if the script was started on this computer; 0: none
    QProcess* m_asking = nullptr;
    QTimer m_timer;
    int m_unknown = 0;
};

}  // namespace ringside
