// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "devices/host_devices.h"

// What a person reads about the devices of this computer.
namespace ringside {

// Title, lines and state of one device, as its card shows them.
struct DeviceDescription {
    QString title;  // "GPU 0   NVIDIA H200"
    QString state;  // "ready" | "not used"
    bool usable = false;
    QStringList details;    // "140.4 GiB, 139.0 GiB free", "compute capability 9.0", "41 °C"
    QString whyNot;         // empty when usable
    double memoryUsed = 0;  // share, 0..1; negative: not known
};

DeviceDescription describeCpu(const HostDevices& host);
DeviceDescription describeGpu(const GpuInfo& gpu);

// "GPU 0 – GPU 1: NVLink", one line for each kind of link when all GPUs are linked alike.
QStringList linkLines(const GpuReport& report);

// "Driver 580.65.06 runs CUDA up to 13.0. Built with CUDA 13.0, NCCL 2.28.9, cuDNN 9.19.0."; empty without a driver.
QString versionLine(const GpuReport& report);

}  // namespace ringside
