// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/gpu_report.h"

namespace ringside {

// Of the libraries this program is built with; empty where it has none.
struct LibraryVersions {
    std::string nccl;
    std::string cudnn;
};

// Everything CUDA and NVML know about this host's GPUs, or why none can be used. Starts the driver: only in a process
// that may crash with it.
GpuReport queryGpus(const LibraryVersions& libraries);

}  // namespace ringside
