// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"
#include "devices/gpu_report.h"

namespace ringside {

// What this host offers for computing.
struct HostDevices {
    std::string cpuName;
    int cpus = 1;  // this process may use: affinity, not sockets
    std::int64_t memoryBytes = 0;
    std::int64_t availableBytes = 0;
    std::string cpuSetting;  // "ONEDNN_MAX_CPU_ISA=AVX2" where the environment chooses the CPU's instructions
    GpuReport gpus;          // with the reason when there is none to use
};

// Quick: looks at files alone; of GPUs it only knows whether a driver is loaded.
HostDevices findHostDevices();
// Also asks the GPUs, in a process of their own: takes a second where a driver is loaded. Never in the GUI.
HostDevices findHostDevicesAndGpus();

Json toJson(const HostDevices& host);

// Reads what `ringsidectl devices --json` printed; a problem on anything else.
Result<HostDevices> parseHostDevices(std::string_view text);

}  // namespace ringside
