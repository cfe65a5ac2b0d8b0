// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/data/trace_data.h"

namespace ringside {

// Returns, by rank, the nanoseconds by which a complete pipeline step would be shorter if the rank's work took no
// longer than the other ranks' times and the planned shares allow.
//
// The step is replayed without the rank's excess work. Therefore waiting that the schedule causes counts for no rank,
// and a delay that the schedule hides costs nothing. 0 if the excess is within the error of the plan or less than 2 %
// of the step.
std::vector<std::int64_t> delayCosts(const TracedStep& step);

}  // namespace ringside
