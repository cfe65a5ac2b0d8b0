// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"
#include "config/choices.h"

namespace ringside {

// Returns the path of the worker program for a device, in the directory of the running program. Returns a problem if
// the worker program is missing.
Result<std::filesystem::path> findWorkerProgram(DeviceChoice device);

}  // namespace ringside
