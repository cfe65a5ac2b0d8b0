// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "devices/gpu_report.h"

namespace ringside {

inline constexpr const char* kCudaWorkerName = "ringside-worker-cuda";

inline constexpr const char* kNoDriver = "no GPU found on this machine (no NVIDIA driver is loaded)";

// Whether an NVIDIA driver is loaded; looks at files alone.
bool gpuDriverLoaded();

struct GpuProbeOptions {
    std::filesystem::path worker;  // ringside-worker-cuda; need not exist
    // Any of these is there when a driver is loaded: its module, its device in a container, Windows' one under WSL.
    std::vector<std::filesystem::path> driverSigns{"/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg"};
    std::chrono::milliseconds deadline{20000};  // a cold driver takes seconds
};

// Asks `worker --devices` in a child process, so that a driver that crashes or hangs takes nobody along. Without the
// program or without a driver no process is started. Never throws for what it finds: the reason is in the report.
GpuReport probeGpus(const GpuProbeOptions& options);

// With the worker beside this very program.
GpuReport probeGpus();

}  // namespace ringside
