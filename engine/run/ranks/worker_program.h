// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"
#include "config/choices.h"

namespace ringside {

// The worker for a device, beside this program, wherever both are installed.
Result<std::filesystem::path> findWorkerProgram(DeviceChoice device);

}  // namespace ringside
