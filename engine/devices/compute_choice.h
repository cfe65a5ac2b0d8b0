// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "devices/host_devices.h"

namespace ringside {

// What `auto` came to, with the reason that is shown on screen.
struct ComputeChoice {
    CollectiveBackend backend = CollectiveBackend::kAuto;
    std::string whyBackend;
    DeviceChoice device = DeviceChoice::kAuto;
    std::string whyDevice;
    std::string cpuSetting;  // HostDevices::cpuSetting, where the CPU computes
};

// auto takes GPUs when each rank gets one of its own, or when ranks may share (parallel.share_gpu); never half of them.
ComputeChoice chooseCompute(const RunConfig& config, const HostDevices& host);

// What the experiment insists on and this host or build does not have; host with its GPUs asked.
Problems checkCompute(const RunConfig& config, const HostDevices& host);

}  // namespace ringside
