// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/worker_program.h"

#include <unistd.h>

#include "base/system/resource_directory.h"
#include "devices/gpu_probe.h"

namespace ringside {

Result<std::filesystem::path> findWorkerProgram(DeviceChoice device) {
    const std::filesystem::path worker =
        programDirectory() / (device == DeviceChoice::kCuda ? kCudaWorkerName : "ringside-worker");
    if (::access(worker.c_str(), X_OK) == 0) return worker;
    return Problem{worker.string(), "is missing or cannot be executed",
                   "build it (./run --build) or put it into the folder of this program"};
}

}  // namespace ringside
