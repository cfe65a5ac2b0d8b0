// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/run_config.h"

namespace ringside {

// What this host offers for computing.
struct HostDevices {
    std::string cpuName;
    int cpus = 1;  // this process may use: affinity, not sockets
    std::int64_t memoryBytes = 0;
    std::int64_t availableBytes = 0;
    std::string whyNoGpu;  // "no GPU found on this machine (no NVIDIA driver is loaded)"
};

HostDevices findHostDevices();

// What `auto` came to, with the reason that is shown on screen.
struct ComputeChoice {
    std::string backend;
    std::string whyBackend;
    std::string device;
    std::string whyDevice;
};

ComputeChoice chooseCompute(const ParallelConfig& parallel, const HostDevices& host);

}  // namespace ringside
