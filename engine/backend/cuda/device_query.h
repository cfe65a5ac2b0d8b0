// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/gpu_report.h"

namespace ringside {

// Everything CUDA and NVML know about this host's GPUs, or why none can be used. Starts the driver: only in a process
// that may crash with it. ncclVersion: empty in a build without NCCL.
GpuReport queryGpus(const std::string& ncclVersion);

}  // namespace ringside
