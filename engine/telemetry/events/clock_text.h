// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "telemetry/events/events.h"

namespace ringside {

// Describes a host's clock by the change of its offset since the first measurement, the error of the offset, and the
// round trip of the connection: "+1.84 ms, uncertainty 0.06 ms, round trip 0.12 ms".
std::string clockText(const HostClock& clock);
// Returns the host's name, or the rank if the name is empty, followed by clockText(clock).
std::string clockText(const std::string& host, const HostClock& clock);

}  // namespace ringside
