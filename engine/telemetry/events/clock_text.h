// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "telemetry/events/events.h"

namespace ringside {

// "+1.84 ms, known to 0.06 ms, round trip 0.12 ms": how far a host's clock has moved against the run's since they were
// first compared, and how well that is known.
std::string clockText(const HostClock& clock);
// With the host's name before it.
std::string clockText(const std::string& host, const HostClock& clock);

}  // namespace ringside
