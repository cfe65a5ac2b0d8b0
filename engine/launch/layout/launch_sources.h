// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launch/layout/launch_layout.h"

namespace ringside {

// Reads the launch sources of this process.
LaunchSources readLaunchSources();

// Returns an identifier that is equal for all processes that can share memory and reach each other's loopback address:
// boot ID of the machine and network namespace.
std::string hostKey();

}  // namespace ringside
