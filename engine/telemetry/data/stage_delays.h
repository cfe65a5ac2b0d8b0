// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/data/trace_data.h"

namespace ringside {

// By rank: nanoseconds by which a complete step of a pipeline would be shorter if the rank worked no longer than the
// others' times and the planned shares allow. Found by playing the step again, so that waiting that the schedule causes
// counts for no rank, and a delay that the schedule hides costs nothing. 0 within the error of the plan.
std::vector<std::int64_t> delayCosts(const TracedStep& step);

}  // namespace ringside
