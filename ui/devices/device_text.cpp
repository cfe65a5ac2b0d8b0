// SPDX-License-Identifier: GPL-3.0-or-later
#include "devices/device_text.h"

#include <QCoreApplication>
#include <QSet>
#include <algorithm>

namespace ringside {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("devices", text);
}

QString gibibytes(std::int64_t bytes) {
    return tr("%1 GiB").arg(static_cast<double>(bytes) / (1 << 30), 0, 'f', 1);
}

QString memoryText(std::int64_t total, std::int64_t free) {
    if (free < 0) return tr("%1 memory").arg(gibibytes(total));
    return tr("%1 memory, %2 free").arg(gibibytes(total), gibibytes(free));
}

double usedShare(std::int64_t total, std::int64_t free) {
    if (total <= 0 || free < 0) return -1;
    return std::clamp(1 - static_cast<double>(free) / static_cast<double>(total), 0.0, 1.0);
}

QString whole(double value) {
    return QString::number(value, 'f', 0);
}

QString library(const char* name, const std::string& version) {
    if (version.empty()) return tr("no %1").arg(QLatin1String(name));
    return QStringLiteral("%1 %2").arg(QLatin1String(name), QString::fromStdString(version));
}

}  // namespace

DeviceDescription describeCpu(const HostDevices& host) {
    DeviceDescription cpu;
    cpu.title = tr("CPU   %1").arg(QString::fromStdString(host.cpuName));
    cpu.state = tr("ready");
    cpu.usable = true;
    cpu.details << (host.cpus == 1 ? tr("1 CPU usable") : tr("%1 CPUs usable").arg(host.cpus))
                << memoryText(host.memoryBytes, host.availableBytes);
    cpu.memoryUsed = usedShare(host.memoryBytes, host.availableBytes);
    return cpu;
}

DeviceDescription describeGpu(const GpuInfo& info) {
    DeviceDescription gpu;
    gpu.title = tr("GPU %1   %2").arg(info.index).arg(QString::fromStdString(info.name));
    gpu.usable = info.usable();
    gpu.state = gpu.usable ? tr("ready") : tr("not used");
    gpu.whyNot = QString::fromStdString(info.whyNot);
    gpu.details << memoryText(info.memoryBytes, info.freeBytes)
                << tr("compute capability %1").arg(QString::fromStdString(info.computeCapability));
    if (info.utilisationPercent >= 0) gpu.details << tr("%1 % busy").arg(whole(info.utilisationPercent));
    if (info.temperatureCelsius >= 0) gpu.details << tr("%1 °C").arg(whole(info.temperatureCelsius));
    if (info.powerWatts >= 0) gpu.details << tr("%1 W").arg(whole(info.powerWatts));
    gpu.memoryUsed = usedShare(info.memoryBytes, info.freeBytes);
    return gpu;
}

QStringList linkLines(const GpuReport& report) {
    QSet<QString> kinds;
    for (const GpuLink& link : report.links) kinds << QString::fromStdString(link.kind);
    if (report.links.size() > 1 && kinds.size() == 1)
        return {tr("All GPUs access each other's memory through %1.").arg(*kinds.begin())};
    QStringList lines;
    for (const GpuLink& link : report.links)
        lines << tr("GPU %1 \u2013 GPU %2: %3").arg(link.from).arg(link.to).arg(QString::fromStdString(link.kind));
    return lines;
}

QString versionLine(const GpuReport& report) {
    if (report.driver.empty() && report.driverCuda.empty()) return {};
    const QStringList built{library("CUDA", report.cuda), library("NCCL", report.nccl), library("cuDNN", report.cudnn)};
    return tr("Driver %1 runs CUDA up to %2. Ringside was built with %3.")
        .arg(QString::fromStdString(report.driver), QString::fromStdString(report.driverCuda),
             built.join(QStringLiteral(", ")));
}

}  // namespace ringside
