// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Last known position of a rank after its last complete traced step.
struct OpenStep {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    Phase phase = Phase::kIdle;  // current phase of the rank; kIdle: nothing was received from the rank since that step
    std::int64_t beginNs = 0;    // begin of the phase
    bool isReported = false;     // true if the rank sent the position itself, as a trace without an end
};

// Returns the positions of all traced ranks that have not finished or stopped, in ascending order. They come from the
// ranks' unfinished traces, or else from their last heartbeats.
std::vector<OpenStep> openSteps(const RunData& run);

// Returns the position as a trace without an end.
StepTrace traceOf(const OpenStep& open);

}  // namespace ringside
