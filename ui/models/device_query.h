// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QTimer>

#include "devices/host_devices.h"

namespace ringside {

// Asks `ringsidectl devices --json` what this computer offers: starting a GPU's driver is not for the window's own
// process. Never waits; one question at a time.
class DeviceQuery final : public QObject {
    Q_OBJECT
  public:
    // controlProgram: path of ringsidectl.
    explicit DeviceQuery(const QString& controlProgram, QObject* parent = nullptr);
    ~DeviceQuery() override;

    void ask();
    bool isAsking() const { return m_process != nullptr; }

  Q_SIGNALS:
    void answered(const ringside::HostDevices& host);
    void failed(const QString& why);

  private:
    void readAnswer(int exitCode, QProcess::ExitStatus status);
    void giveUp(const QString& why);
    void dropProcess();

    QString m_program;
    QProcess* m_process = nullptr;
    QTimer m_deadline;
};

}  // namespace ringside
