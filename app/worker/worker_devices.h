// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "train/devices/rank_devices.h"

namespace ringside {

// The difference between ringside-worker and ringside-worker-cuda, made by which of two files is linked.
std::unique_ptr<RankDevices> makeWorkerDevices();

// `--devices` alone: prints the GPUs as JSON and gives the exit code; nothing when that was not asked or this worker
// knows no GPUs.
std::optional<int> answerDevices(int argc, char** argv);

}  // namespace ringside
