// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Where a rank was last seen, behind its last whole traced step.
struct OpenStep {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    Phase phase = Phase::kIdle;  // idle: nothing was heard of it since that step
    std::int64_t beginNs = 0;    // the phase
    bool told = false;           // by the rank, as a trace without an end
};

// Of all ranks that have not ended well and whose steps are traced, ascending: as their own last traces have it, or
// their last heartbeats.
std::vector<OpenStep> openSteps(const RunData& run);

// As a trace without an end.
StepTrace traceOf(const OpenStep& open);

}  // namespace ringside
