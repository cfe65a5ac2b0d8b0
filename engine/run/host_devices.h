// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "config/run_config.h"
#include "run/gpu_report.h"

namespace ringside {

// What this host offers for computing.
struct HostDevices {
    std::string cpuName;
    int cpus = 1;  // this process may use: affinity, not sockets
    std::int64_t memoryBytes = 0;
    std::int64_t availableBytes = 0;
    GpuReport gpus;  // with the reason when there is none to use
};

// Quick: looks at files alone; of GPUs it only knows whether a driver is loaded.
HostDevices findHostDevices();
// Also asks the GPUs, in a process of their own: takes a second where a driver is loaded. Never in the GUI.
HostDevices findHostDevicesAndGpus();

// What `auto` came to, with the reason that is shown on screen.
struct ComputeChoice {
    std::string backend;
    std::string whyBackend;
    std::string device;
    std::string whyDevice;
};

ComputeChoice chooseCompute(const ParallelConfig& parallel, const HostDevices& host);

// What the experiment insists on and this host or build does not have; host with its GPUs asked.
Problems checkCompute(const ParallelConfig& parallel, const HostDevices& host);

}  // namespace ringside
