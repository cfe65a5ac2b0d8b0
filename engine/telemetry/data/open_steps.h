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
    Phase phase = Phase::kIdle;  // current phase of the rank; kIdle: nothing was received from the rank since its last
                                 // complete traced step
    std::int64_t beginNs = 0;    // begin of `phase`, in nanoseconds since the start of the run
    bool isReported = false;     // true if the rank sent the position itself, as a trace without an end
};

// Returns the positions of all traced ranks that have not finished or stopped, in ascending order. A position is taken
// from the rank's unfinished trace or, if there is none, from the rank's last heartbeat.
std::vector<OpenStep> openSteps(const RunData& run);

// Returns a position as the trace of an unfinished step.
StepTrace traceOf(const OpenStep& open);

}  // namespace ringside
