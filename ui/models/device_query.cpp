// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/device_query.h"

namespace ringside {
namespace {

// timeout of the query in milliseconds; longer than the 20 s that ringsidectl waits for the driver
constexpr int kDeadlineMs = 30'000;

}  // namespace

DeviceQuery::DeviceQuery(const QString& controlProgram, QObject* parent) : QObject(parent), m_program(controlProgram) {
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this,
            [this] { fail(tr("ringsidectl devices did not finish within 30 s: check that nvidia-smi responds.")); });
}

DeviceQuery::~DeviceQuery() {
    dropProcess();
}

void DeviceQuery::start() {
    if (m_process) return;
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, &DeviceQuery::readAnswer);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(tr("%1 could not be started: build it, or put it beside the ringside program.").arg(m_program));
    });
    m_deadline.start(kDeadlineMs);
    m_process->start(m_program, {QStringLiteral("devices"), QStringLiteral("--json")});
}

void DeviceQuery::readAnswer(int exitCode, QProcess::ExitStatus status) {
    const QByteArray output = m_process->readAllStandardOutput();
    const QByteArray complaint = m_process->readAllStandardError().trimmed();
    if (status != QProcess::NormalExit || exitCode != 0)
        return fail(tr("The devices of this computer could not be listed (ringsidectl devices failed): %1")
                        .arg(QString::fromUtf8(complaint)));
    const Result<HostDevices> host = parseHostDevices(output.toStdString());
    if (!host) return fail(QString::fromStdString(host.problem().text()));
    dropProcess();
    Q_EMIT found(host.value());
}

void DeviceQuery::fail(const QString& why) {
    dropProcess();
    Q_EMIT failed(why);
}

void DeviceQuery::dropProcess() {
    m_deadline.stop();
    if (!m_process) return;
    m_process->disconnect(this);
    // The QProcess deletes itself when its program has ended. Deleting it earlier would block until then.
    m_process->setParent(nullptr);
    if (m_process->state() == QProcess::NotRunning) {
        m_process->deleteLater();
    } else {
        connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
        m_process->kill();
    }
    m_process = nullptr;
}

}  // namespace ringside
