// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/gpu_report.h"

namespace ringside {

// Versions of the libraries in this build; empty if the build does not contain the library.
struct LibraryVersions {
    std::string nccl;
    std::string cudnn;
};

// Returns the properties of this host's GPUs that CUDA and NVML report, or the reason why no GPU can be used. Loads the
// GPU driver, which may crash; call this function only in a process whose crash does no harm.
GpuReport queryGpus(const LibraryVersions& libraries);

}  // namespace ringside
