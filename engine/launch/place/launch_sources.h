// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launch/place/launch_place.h"

namespace ringside {

// Of this process.
LaunchSources readLaunchSources();

// Alike for the processes that can share memory and reach one another's loopback: this boot of the machine and this
// network namespace.
std::string hostKey();

}  // namespace ringside
