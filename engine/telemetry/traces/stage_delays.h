// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Returns, for each rank, the time in nanoseconds by which a complete pipeline step would be shorter without the rank's
// excess work. Excess work is the work time beyond the expected time. The expected time is the median of the other
// ranks' work times, each scaled by the ratio of the planned shares.
//
// The step is replayed without the rank's excess work: waiting that the schedule causes is therefore not attributed to
// any rank, and a delay that does not make the step longer costs 0. The result is also 0 if the excess work is less
// than 2 % of the step or within the error of the planned shares.
std::vector<std::int64_t> delayCosts(const TracedStep& step);

}  // namespace ringside
