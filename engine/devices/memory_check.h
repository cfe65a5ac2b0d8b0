// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/result.h"
#include "config/run_config.h"
#include "devices/host_devices.h"
#include "model/model_description.h"

namespace ringside {

// A problem where weights, gradients and optimizer alone are more than the memory of this host, whose CPUs all ranks
// share: such a run would only end when the kernel kills a rank, or somebody else's program.
Problems checkMemory(const ModelDescription& model, const RunConfig& config, const HostDevices& host);

}  // namespace ringside
