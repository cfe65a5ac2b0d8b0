// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Position of a rank in the step that it has not finished, as far as it was received.
struct OpenStep {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    // current phase of the rank; kIdle: nothing was received from the rank since the end of its last traced step
    Phase phase = Phase::kIdle;
    std::int64_t beginNs = 0;  // start of `phase`, in nanoseconds since the start of the run
    // true: the rank itself sent the position, in the trace of an unfinished step; false: derived from a heartbeat
    bool isReported = false;
};

// Returns the current positions of all traced ranks that have not finished or stopped, in ascending order of ranks. A
// position is taken from the rank's trace of an unfinished step or, if there is none, from its last heartbeat.
std::vector<OpenStep> openSteps(const RunData& run);

// Converts a position to the trace of an unfinished step.
StepTrace traceOf(const OpenStep& open);

}  // namespace ringside
