// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "train/devices/rank_devices.h"

namespace ringside {

// Creates the devices of this worker program. ringside-worker and ringside-worker-cuda link different definitions.
std::unique_ptr<RankDevices> makeWorkerDevices();

// Handles the command line `--devices`: prints the GPUs as JSON and returns the exit code. Returns nothing for any
// other command line, and always in the CPU worker.
std::optional<int> printDevicesIfAsked(int argc, char** argv);

}  // namespace ringside
