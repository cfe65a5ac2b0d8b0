// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Returns, for each rank, the nanoseconds by which a complete pipeline step would be shorter without the rank's excess
// work. Excess work is the time beyond the expected time: the median of the other ranks' times, each scaled by the
// ratio of the planned shares.
//
// The step is replayed without the rank's excess work. Waiting that the schedule causes is therefore not attributed to
// any rank, and a delay that does not make the step longer costs 0. The cost is also 0 if the excess work is within the
// error of the planned shares or less than 2 % of the step.
std::vector<std::int64_t> delayCosts(const TracedStep& step);

}  // namespace ringside
