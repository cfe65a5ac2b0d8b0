// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "devices/host_devices.h"

namespace ringside {

// Resolved device and backend of an experiment, each with the reason that is shown on screen.
struct ComputeChoice {
    CollectiveBackend backend = CollectiveBackend::kAuto;
    std::string whyBackend;
    DeviceChoice device = DeviceChoice::kAuto;
    std::string whyDevice;
    // environment variable that limits the CPU's instruction set, with its value; empty if there is none, or if the
    // ranks use GPUs
    std::string cpuSetting;
};

// Resolves `auto` and explains the choice. `auto` chooses GPUs if there is a GPU for each rank or parallel.share_gpu is
// on, otherwise the CPU for all ranks.
ComputeChoice chooseCompute(const RunConfig& config, const HostDevices& host);

// Returns a problem for a device, backend or precision that the experiment requires and this host or build does not
// provide. `host.gpus` must be the result of probeGpus().
Problems checkCompute(const RunConfig& config, const HostDevices& host);

}  // namespace ringside
