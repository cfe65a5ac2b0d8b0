// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "telemetry/events/events.h"

namespace ringside {

// Describes the offset of a host's clock since the first comparison, its error and the round trip: "+1.84 ms, known to
// 0.06 ms, round trip 0.12 ms".
std::string clockText(const HostClock& clock);
// Returns clockText(clock) after the host's name, or after the rank if the name is empty.
std::string clockText(const std::string& host, const HostClock& clock);

}  // namespace ringside
