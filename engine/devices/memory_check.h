// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/result.h"
#include "config/run_config.h"
#include "devices/host_devices.h"
#include "model/model_description.h"

namespace ringside {

// Returns a problem if weights, gradients and optimizer state alone exceed this host's memory, which all ranks share.
// The kernel would end such a run by killing a rank or another program.
Problems checkMemory(const ModelDescription& model, const RunConfig& config, const HostDevices& host);

}  // namespace ringside
