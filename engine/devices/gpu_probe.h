// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "devices/gpu_report.h"

namespace ringside {

inline constexpr const char* kCudaWorkerName = "ringside-worker-cuda";

inline constexpr const char* kNoDriver = "no GPU found on this machine (no NVIDIA driver is loaded)";

// True if an NVIDIA driver is loaded. Only checks whether files exist.
bool gpuDriverLoaded();

struct GpuProbeOptions {
    std::filesystem::path worker;  // path of ringside-worker-cuda, which need not exist
    // Files of which at least one exists if a driver is loaded: the version file of the kernel module, the device file
    // in a container, or the device file of the Windows driver under WSL.
    std::vector<std::filesystem::path> driverSigns{"/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg"};
    std::chrono::milliseconds deadline{90000};  // timeout of the probe; a host with 8 GPUs without persistence mode
                                                // needs up to a minute
};

// Runs `worker --devices` in a child process, so that a driver that crashes or hangs does not affect the caller. Starts
// no process if the worker program or an NVIDIA driver is missing. Blocks until the deadline at most, plus 1 s to end
// the child. Never throws because of a missing GPU: the report contains the reason.
GpuReport probeGpus(const GpuProbeOptions& options);

// Runs the probe with the worker in this program's directory.
GpuReport probeGpus();

}  // namespace ringside
