// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QTimer>

#include "devices/host_devices.h"

namespace ringside {

// Lists the devices of this computer with `ringsidectl devices --json`. A separate process does this, because the
// window's process should not load a GPU driver. Never blocks. Only one query runs at a time.
class DeviceQuery final : public QObject {
    Q_OBJECT
  public:
    // `controlProgram` is the path of ringsidectl.
    explicit DeviceQuery(const QString& controlProgram, QObject* parent = nullptr);
    ~DeviceQuery() override;

    void start();
    bool isRunning() const { return m_process != nullptr; }

  Q_SIGNALS:
    void found(const ringside::HostDevices& host);
    void failed(const QString& why);

  private:
    void readAnswer(int exitCode, QProcess::ExitStatus status);
    void fail(const QString& why);
    void dropProcess();

    QString m_program;
    QProcess* m_process = nullptr;
    QTimer m_deadline;
};

}  // namespace ringside
