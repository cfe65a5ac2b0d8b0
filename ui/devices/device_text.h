// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "devices/host_devices.h"

// Texts about the devices (CPU and GPUs) of this computer.
namespace ringside {

// Title, lines and state on the card of a device.
struct DeviceDescription {
    QString title;  // name of the device, such as "GPU 0 NVIDIA H200"
    QString state;  // state of the device: "ready" | "not used"
    bool usable = false;
    QStringList details;    // properties of the device, such as "140.4 GiB memory, 139.0 GiB free", "compute
                            // capability 9.0" and "41 °C"
    QString whyNot;         // reason why the device is not used; empty if it is usable
    double memoryUsed = 0;  // used share of the device's memory, 0 to 1; negative if unknown
};

DeviceDescription describeCpu(const HostDevices& host);
DeviceDescription describeGpu(const GpuInfo& gpu);

// Returns one line per link between GPUs, such as "GPU 0 – GPU 1: NVLink"; a single line if all links are of the same
// kind.
QStringList linkLines(const GpuReport& report);

// Returns a text such as "Driver 580.65.06 runs CUDA up to 13.0. Ringside was built with CUDA 13.0, NCCL 2.28.9,
// cuDNN 9.19.0."; empty if there is no driver.
QString versionLine(const GpuReport& report);

}  // namespace ringside
